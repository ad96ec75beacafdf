// Mixed traffic for a service: free uploads, large free results, paid requests, and paid jobs with polls of their
// progress. The program keeps every answer, and at the end the service must give each of them again.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Sendable, uploadOf } from '@grainline/testing/load';
import type { Playground } from '../../src/playground.ts';
import type { Fleet } from './fleet.ts';
import { payOnce, PRICE } from './payments.ts';

export interface TrafficPlan {
  readonly fleet: Pick<Fleet, 'send'>;
  readonly playground: Playground;
  /**
   * For how long the very same request is sent again that broke off or was refused for the moment, in milliseconds;
   * with 0 every request is sent once, and has failed without the answer that it wants.
   */
  readonly patienceMs: number;
  /** FREE_PAGES_PER_DAY of the servers. */
  readonly pagesPerDay: number;
}

/** Counts so far. */
export interface Tally {
  readonly freeAnswers: number;
  readonly freeResults: number;
  /** Payments of both kinds, and what they bought. */
  readonly payments: number;
  readonly paidMicroUsdc: bigint;
  readonly sold: number;
  readonly jobs: number;
  /** Questions how far a job is. */
  readonly polls: number;
  /** Requests that were sent again, since the plan is patient. */
  readonly again: number;
  /** Requests without the answer that they want. */
  readonly failed: number;
  /** Answers, results and jobs that were given and are not there any more. */
  readonly lost: number;
  /** Payments that bought two things. */
  readonly doubled: number;
  /** Answers that differ from those given before for the same, or to somebody else. */
  readonly changed: number;
  /** Clients that had more pages than a day has. */
  readonly overQuota: number;
  /** Jobs that were less far than before. */
  readonly backwards: number;
}

export interface Traffic {
  readonly tally: Tally;
  /** Begins nothing new, waits for what is on its way, and asks for all that was given once more. */
  end(): Promise<void>;
}

/** Counts of a tally that must be 0. */
export const WRONGS = ['failed', 'lost', 'doubled', 'changed', 'overQuota', 'backwards'] as const;

/** Clients of each kind. */
const CLIENTS = { uploads: 2, results: 1, purchases: 2, jobs: 5 } as const;
/** Between two requests of a client. */
const THINK_MS = 30;
const POLL_MS = 150;
const AGAIN_MS = 100;
export const JOB_PRICE = 25_000n;
/** Longer than any honest way to a completed job: leases, starts, waits for its turn. */
const MOST_JOB_MS = 180_000;

const SENTENCE = 'High water follows the moon. ';
/** Of which jobs make some forty chunks. */
export const JOB_TEXT = Array.from(
  { length: 40 },
  (_, index) =>
    `# Chapter ${index}\n\n${`Observation ${index} of the tides is noted down. `.repeat(18).trim()}`,
).join('\n\n');

export function startTraffic({ fleet, playground, patienceMs, pagesPerDay }: TrafficPlan): Traffic {
  const [payer] = playground.payers;
  if (payer === undefined) throw new Error('There is one.');
  const tally = {
    ...{ freeAnswers: 0, freeResults: 0, payments: 0, paidMicroUsdc: 0n, sold: 0, jobs: 0, polls: 0 },
    ...{ again: 0, failed: 0, lost: 0, doubled: 0, changed: 0, overQuota: 0, backwards: 0 },
  };
  /** Requests with the hashes of their answers. */
  const given: { readonly sendable: Sendable; readonly hash: string }[] = [];
  /** The chunks of the first job: all have the same document. */
  let chunksOfJobs: string | undefined;
  let clients = 0;
  let documents = 0;
  let isOver = false;

  /** Somebody whom the service has not seen before. */
  const stranger = (): string => {
    const number = clients++;
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  };
  const from = (client: string, { headers, ...rest }: Sendable): Sendable => ({
    ...rest,
    headers: { ...headers, 'X-Forwarded-For': client },
  });

  /** Sends until the answer is final, or patience is over. */
  async function ask(sendable: Sendable): Promise<Answer> {
    const endMs = performance.now() + patienceMs;
    for (;;) {
      const answer = await fleet.send(sendable);
      if (!isPassing(answer) || performance.now() >= endMs) return answer;
      tally.again++;
      await wait(AGAIN_MS);
    }
  }

  /** The text of a 200; undefined, and counted, for everything else. */
  async function want(what: string, sendable: Sendable): Promise<string | undefined> {
    const answer = await ask(sendable);
    if (answer.outcome === 200) return answer.text;
    count('failed', what, answer);
    return undefined;
  }

  function count(wrong: (typeof WRONGS)[number], what: string, said: unknown): void {
    tally[wrong]++;
    console.error(`${wrong}: ${what}:`, said);
  }

  function keep(sendable: Sendable, text: string): void {
    given.push({ sendable, hash: hashOf(text) });
  }

  /** Fetches what an answer links to, and keeps both in mind. */
  async function fetchLinked(client: string, answer: string): Promise<void> {
    const { pathname } = new URL(String(membersOf(answer)['download_url']));
    const sendable = from(client, getOf(pathname));
    const text = await want('a result', sendable);
    if (text !== undefined) keep(sendable, text);
  }

  /** Uploads as one client until its pages are used up. */
  async function uploadAsOne(): Promise<void> {
    const client = stranger();
    let pages = 0;
    while (!isOver) {
      await wait(THINK_MS);
      const answer = await ask(from(client, uploadOf(`${documents++}. ${SENTENCE.repeat(40)}`, 'a.txt')));
      if (answer.outcome === 429 && membersOf(answer.text)['code'] === 'quota_exceeded') return;
      if (answer.outcome !== 200) {
        count('failed', 'a free upload', answer);
        continue;
      }
      tally.freeAnswers++;
      pages += pagesOf(answer.text);
      if (pages > pagesPerDay) count('overQuota', client, pages);
    }
  }

  async function takeResult(): Promise<void> {
    const client = stranger();
    const answer = await want('a large free result', from(client, largeOrderOf(documents++)));
    if (answer === undefined) return;
    tally.freeResults++;
    await fetchLinked(client, answer);
  }

  async function pay(price: bigint): Promise<Readonly<Record<string, string>>> {
    if (payer === undefined) throw new Error('There is one.');
    const proof = await payOnce(playground, payer, `traffic ${tally.payments++}`, price);
    tally.paidMicroUsdc += price;
    return { 'X-PAYMENT': proof };
  }

  /** Buys once, shows the payment again, and then with another document. */
  async function purchase(): Promise<void> {
    const client = stranger();
    const proof = await pay(PRICE);
    const number = documents++;
    const order = paidWith(proof, from(client, paidUploadOf(number, number % 4 === 0)));
    const answer = await want('a purchase', order);
    if (answer === undefined) return;
    tally.sold++;
    keep(order, answer);
    if ('download_url' in membersOf(answer)) await fetchLinked(client, answer);
    const again = await want('a purchase shown again', order);
    if (again !== undefined && again !== answer) count('changed', 'a purchase', { answer, again });
    await expectOtherRejected(from(client, paidWith(proof, paidUploadOf(documents++, false))));
  }

  async function expectOtherRejected(sendable: Sendable): Promise<void> {
    const { outcome, text } = await ask(sendable);
    if (typeof outcome === 'number' && membersOf(text)['code'] === 'payment_already_used') return;
    count(outcome === 200 ? 'doubled' : 'failed', 'a payment shown with another document', { outcome, text });
  }

  /** Submits a job twice with the same payment, and follows it. */
  async function work(): Promise<void> {
    const client = stranger();
    const order = paidWith(await pay(JOB_PRICE), from(client, uploadOf(JOB_TEXT, 'tides.txt', 'ai-pro')));
    const ticket = await want('a job', order);
    if (ticket === undefined) return;
    const id = String(membersOf(ticket)['job_id']);
    const again = await want('a job shown again', order);
    if (again !== undefined && membersOf(again)['job_id'] !== id)
      count('doubled', 'a job', { ticket, again });
    if (!(await follow(client, id))) return;
    tally.jobs++;
    const sendable = from(client, getOf(`/job/${id}/result`));
    const text = await want('the result of a job', sendable);
    if (text === undefined) return;
    keep(sendable, text);
    const chunks = JSON.stringify(membersOf(text)['chunks']);
    if (chunks !== (chunksOfJobs ??= chunks)) count('changed', `job ${id}`, 'chunks of another kind');
  }

  /** Asks how far a job is until it is completed; false when it never is. */
  async function follow(client: string, id: string): Promise<boolean> {
    const endMs = performance.now() + MOST_JOB_MS;
    let far = 0;
    while (performance.now() < endMs) {
      await wait(POLL_MS);
      const text = await want('the status of a job', from(client, getOf(`/job/${id}/status`)));
      tally.polls++;
      if (text === undefined) continue;
      const { status, progress } = membersOf(text);
      if (Number(progress) < far) count('backwards', id, { far, text });
      far = Math.max(far, Number(progress));
      if (status === 'completed') return true;
      if (status === 'failed') break;
    }
    count('lost', 'a job', id);
    return false;
  }

  const loop = async (step: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await step();
      await wait(THINK_MS);
    }
  };
  const steps = { uploads: uploadAsOne, results: takeResult, purchases: purchase, jobs: work };
  const running = Object.entries(steps).flatMap(([kind, step]) =>
    Array.from({ length: CLIENTS[kind as keyof typeof steps] }, () => loop(step)),
  );

  return {
    tally,
    async end() {
      isOver = true;
      await Promise.all(running);
      for (const { sendable, hash } of given) {
        const answer = await ask(sendable);
        if (answer.outcome !== 200) count('lost', `${sendable.method} ${sendable.path}`, answer);
        else if (hashOf(answer.text) !== hash) count('changed', sendable.path, answer.text);
      }
    },
  };
}

/** True for an outcome that may change on a retry: a node may lack a transaction that another node has. */
function isPassing({ outcome, text }: Answer): boolean {
  if (typeof outcome === 'string' || outcome === 503) return true;
  return outcome === 402 && membersOf(text)['code'] === 'payment_not_found';
}

export function paidWith(proof: Readonly<Record<string, string>>, sendable: Sendable): Sendable {
  return { ...sendable, headers: { ...sendable.headers, ...proof } };
}

/** A document for the tier structure: a page, or one of more than a hundred chunks. */
export function paidUploadOf(number: number, isLarge: boolean): Sendable {
  const chapter = (index: number) => `# Chapter ${index} of ${number}\n\n${SENTENCE.repeat(40)}`;
  const text = Array.from({ length: isLarge ? 150 : 3 }, (_, index) => chapter(index)).join('\n\n');
  return uploadOf(text, 'a.txt', 'structure');
}

/** A text of more than a hundred small chunks. */
function largeOrderOf(number: number): Sendable {
  const text = Array.from({ length: 150 }, (_, index) => `${number}/${index}. ${SENTENCE.repeat(2)}`);
  const body = Buffer.from(JSON.stringify({ tier: 'free', text: text.join('\n\n'), chunk_size: 80 }));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  return { method: 'POST', path: '/chunk', headers, body };
}

export function getOf(path: string): Sendable {
  return { method: 'GET', path, headers: {}, body: Buffer.alloc(0) };
}

export function membersOf(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Record<string, unknown>;
}

function pagesOf(text: string): number {
  return (membersOf(text)['metadata'] as { estimated_pages: number }).estimated_pages;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
