// Servers that share one PostgreSQL, and their behaviour when the database crashes.
import type { Complete } from '@grainline/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../src/main/main.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { startService, type RunningService, type ServiceOverrides } from '../../src/main/server.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import { STEP_COUNT } from '../../src/store/postgres/schema.ts';
import { NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import { modelPool, completion, jobDeployment } from '../jobs/job-service.ts';
import { form, inlineWorkerPool, memoryDownloader, paragraphs } from '../http/fake-service.ts';
import { type FakeChain, fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { send } from '../payments/selling.ts';
import { type Cluster, createCluster, hasPrograms } from '@grainline/testing/postgres-cluster';
import { createDatabase, hasPostgres, type TestDatabase } from '@grainline/testing/postgres-server';

const isThere = await hasPostgres();
const STRUCTURE = '/chunk/structure';
const PRICE = 2000n;
const JOB_PRICE = 25_000n;
/** One chain for all tests: each chain makes the same keys. */
const chain = fakeChain(Date.now);

const running: RunningService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

async function start(
  databaseUrl: string,
  chain: FakeChain,
  environment: Readonly<Record<string, string>> = {},
  parts: (settings: Settings) => ServiceOverrides = () => ({}),
): Promise<RunningService & { readonly log: string[] }> {
  const log: string[] = [];
  const settings = readSettings({
    ...{ PORT: '0', PAY_TO, PAYMENT_WAIT_MS: '0', DATABASE_URL: databaseUrl, SHUTDOWN_MS: '1000' },
    ...environment,
  });
  const service = await startService(settings, {
    downloader: memoryDownloader(),
    workerPool: inlineWorkerPool,
    paymentNetwork: fakePaymentNetwork(chain, settings),
    log: { write: (line) => void log.push(line) },
    ...parts(settings),
  });
  running.push(service);
  await service.ready;
  return { ...service, log };
}

const statusOf = async (service: RunningService, path: string): Promise<number> =>
  (await fetch(`${service.url}${path}`)).status;

function memoryTerminal(databaseUrl: string) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const terminal: Terminal = {
    environment: { DATABASE_URL: databaseUrl },
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    drained: () => Promise.resolve(),
    onSignal: () => () => undefined,
    exit: () => undefined,
    now: () => 0,
  };
  return { terminal, printed, complaints };
}

describe.skipIf(!isThere)('two servers on one database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it('share answers, payments, results and quota', async () => {
    const pages = { FREE_PAGES_PER_DAY: '40' };
    const [one, other] = [await start(database.url, chain, pages), await start(database.url, chain, pages)];
    const proof = chain.pay(PRICE);
    const sold = await send(one, STRUCTURE, form('One.\n\nTwo.'), proof);
    expect(sold.status).toBe(200);
    const replayed = await send(other, STRUCTURE, form('One.\n\nTwo.'), proof);
    expect([replayed.status, replayed.text]).toEqual([200, sold.text]);
    expect((await send(other, STRUCTURE, form('Another.'), proof)).status).toBe(402);

    const large = await send(one, '/chunk/demo', form(paragraphs(100)));
    const { pathname } = new URL(String(large.json['download_url']));
    const [here, there] = [await fetch(`${one.url}${pathname}`), await fetch(`${other.url}${pathname}`)];
    expect([here.status, there.status]).toEqual([200, 200]);
    expect(await there.text()).toBe(await here.text());
    // Both servers have used up the pages of the day.
    expect((await send(other, '/chunk/demo', form(paragraphs(100)))).status).toBe(429);
  });

  it('sell one payment once when both are asked at the same time', async () => {
    const servers = [await start(database.url, chain), await start(database.url, chain)];
    const proof = chain.pay(PRICE);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(servers[index % 2]!, STRUCTURE, form(`Text ${index % 4}.`), proof),
      ),
    );
    const bought = answers.filter(({ status }) => status === 200);
    expect(bought.length).toBeGreaterThan(0);
    expect(new Set(bought.map(({ text }) => text)).size).toBe(1);
  });

  it('are told about by the commands for payments', async () => {
    const { terminal, printed } = memoryTerminal(database.url);
    const service = await start(database.url, chain);
    const proof = chain.pay(PRICE, { payer: 'payer of the list' });
    await send(service, STRUCTURE, form('For the list.'), proof);
    expect(await main(['payments', 'show', proof], terminal)).toBe(0);
    expect(printed.join('\n')).toContain('payer of the list');
    expect(await main(['payments', 'refunded', proof, '--note', 'sent back'], terminal)).toBe(0);
    expect(await main(['payments', 'list', '--json'], terminal)).toBe(0);
    expect(printed.at(-1)).toContain('sent back');
  });

  it('find no tables in a database without migrations, unless they may make them', async () => {
    const empty = await createDatabase();
    try {
      const list = memoryTerminal(empty.url);
      expect(await main(['payments', 'list'], list.terminal)).toBe(1);
      expect(list.complaints.join()).toContain('grainline-server migrate');
      const byHand = { DATABASE_MIGRATIONS: 'by-hand' };
      await expect(start(empty.url, chain, byHand)).rejects.toMatchObject({
        code: 'database_behind',
      });
      const { terminal, printed } = memoryTerminal(empty.url);
      expect(await main(['migrate'], terminal)).toBe(0);
      expect(await main(['migrate'], terminal)).toBe(0);
      expect(printed).toEqual([
        `Brought the tables from step 0 to step ${STEP_COUNT}.`,
        `The tables are up to date, at step ${STEP_COUNT}.`,
      ]);
      const service = await start(empty.url, chain, byHand);
      expect(await statusOf(service, '/ready')).toBe(200);
    } finally {
      await Promise.all(running.splice(0).map((service) => service.stop()));
      await empty.drop();
    }
  });
});

describe.skipIf(!isThere || !hasPrograms())('a database that dies', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await createCluster();
  });
  afterAll(() => cluster.remove());

  /** Polls until the server is ready: each broken connection of its pool fails one request. */
  const readyAgain = async (service: RunningService): Promise<void> => {
    for (let tries = 0; tries < 100; tries++) if ((await statusOf(service, '/ready')) === 200) return;
    throw new Error('it is not ready again');
  };

  it('is a 503 for all that needs it, loses nothing, and is used again once it is back', async () => {
    const service = await start(cluster.url.replace('postgres@', 'postgres:s3cret@'), chain);
    const early = chain.pay(PRICE);
    const sold = await send(service, STRUCTURE, form('Early.'), early);
    expect(sold.status).toBe(200);
    expect(await statusOf(service, '/ready')).toBe(200);
    cluster.crash();
    const late = chain.pay(PRICE);
    expect(await statusOf(service, '/ready')).toBe(503);
    expect(await statusOf(service, '/health')).toBe(200);
    for (const answer of [
      await send(service, STRUCTURE, form('Early.'), early),
      await send(service, STRUCTURE, form('Late.'), late),
      await send(service, '/chunk/demo', form('Free.')),
    ]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(answer.text).not.toMatch(/127\.0\.0\.1:|ECONN|postgres|s3cret/i);
    }
    cluster.start();
    await readyAgain(service);
    expect((await send(service, STRUCTURE, form('Early.'), early)).text).toBe(sold.text);
    expect((await send(service, STRUCTURE, form('Late.'), late)).status).toBe(200);
    expect(service.log.join()).not.toContain('s3cret');
  });

  it('in the middle of many sales loses no answer that was given, and sells none twice', async () => {
    const servers = [await start(cluster.url, chain), await start(cluster.url, chain)];
    const proofs = Array.from({ length: 60 }, () => chain.pay(PRICE));
    const given = new Map<string, string>();
    const refused: number[] = [];
    let crashed = false;
    await Promise.all(
      proofs.map(async (proof, index) => {
        const { status, text } = await send(servers[index % 2]!, STRUCTURE, form(`Text ${index}.`), proof);
        if (status === 200) given.set(proof, text);
        else refused.push(status);
        if (given.size === 10 && !crashed) {
          crashed = true;
          cluster.crash();
        }
      }),
    );
    expect(crashed).toBe(true);
    expect(given.size).toBeGreaterThanOrEqual(10);
    expect(new Set(refused)).toEqual(new Set([503]));
    cluster.start();
    await Promise.all(servers.map(readyAgain));
    // An interrupted purchase holds its payment until the lease ends; the test does not wait for the database's clock.
    const { terminal, printed } = memoryTerminal(cluster.url);
    expect(await main(['payments', 'list', '--json', '--limit', '1000'], terminal)).toBe(0);
    const { payments } = JSON.parse(printed.join('\n')) as { payments: { key: string; state: string }[] };
    const states = new Map(payments.map(({ key, state }) => [key, state]));
    for (const [index, proof] of proofs.entries()) {
      const answer = await send(servers[(index + 1) % 2]!, STRUCTURE, form(`Text ${index}.`), proof);
      const first = given.get(proof);
      if (first !== undefined) expect([answer.status, answer.text]).toEqual([200, first]);
      else if (states.get(proof) === 'consumed' || !states.has(proof)) expect(answer.status).toBe(200);
      else expect([200, 402, 409, 503]).toContain(answer.status);
    }
  });

  it('in the middle of a job keeps job and payment: it goes on by itself, and nothing is asked again', async () => {
    const requested: string[] = [];
    const held = Promise.withResolvers<undefined>();
    const languageModel = {
      ...NO_LANGUAGE_MODEL,
      unavailableReason: () => null,
      completeFor:
        (): Complete =>
        async ({ messages }) => {
          const [question] = messages;
          requested.push(question?.content ?? '');
          // The first answer is recorded; the other requests are open when the database crashes.
          if (requested.length > 1) await held.promise;
          return completion('said');
        },
    };
    const service = await start(cluster.url, chain, { JOB_CONCURRENCY: '1' }, (settings) => ({
      deployment: jobDeployment(settings),
      workerPool: modelPool,
      languageModel,
    }));
    const proof = chain.pay(JOB_PRICE);
    const other = chain.pay(JOB_PRICE);
    const document = form('One.\n\nTwo.\n\nThree.');
    const ticket = await send(service, '/chunk/ai-pro', document, proof);
    const statusPath = `/job/${String(ticket.json['job_id'])}/status`;
    const progress = async (): Promise<Record<string, unknown>> =>
      (await (await fetch(`${service.url}${statusPath}`)).json()) as Record<string, unknown>;
    let before = await progress();
    while (requested.length < 3 || Number(before['progress']) <= 30) before = await progress();

    cluster.crash();
    expect(await statusOf(service, statusPath)).toBe(503);
    expect((await send(service, '/chunk/ai-pro', document, other)).status).toBe(503);
    // Answers of the model during the crash are recorded as soon as that is possible.
    held.resolve(undefined);
    cluster.start();
    await readyAgain(service);

    let far = Number(before['progress']);
    let now = await progress();
    while (now['status'] !== 'completed') {
      if (now['progress'] !== undefined) {
        expect(Number(now['progress'])).toBeGreaterThanOrEqual(far);
        far = Number(now['progress']);
      }
      expect(now['status']).not.toBe('failed');
      now = await progress();
    }
    expect(requested.toSorted()).toEqual(['One.', 'Three.', 'Two.']);
    const bought = await send(service, '/chunk/ai-pro', document, proof);
    expect([bought.status, bought.json['job_id']]).toEqual([200, ticket.json['job_id']]);
    expect((await send(service, '/chunk/ai-pro', form('Another.'), proof)).status).toBe(402);
    // The payment of the refused request is still usable.
    expect((await send(service, '/chunk/ai-pro', document, other)).status).toBe(200);
  });
});
