// All that the page knows, as signals, and what can be done with it. Components show it; nothing here knows of elements.
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { aboutChunks, cutsFromChunks, documentOfChunks, fits, readAnswer } from './answers.ts';
import { boundariesOf, compareBoundaries, type Comparison } from './compare.ts';
import { countOf, type CutOptions, type Cuts } from './cuts.ts';
import { followJob, type Job, keepJob, keptJob, type JobStorage } from './jobs.ts';
import type { ChunkRequest, Order } from './order.ts';
import type { Overview, OverviewTier } from './overview.ts';
import { type Hit, LOCAL_TIERS, type LocalTier, type Reading, type RecordsWanted } from './protocol.ts';
import type { JobStatus, Service } from './service.ts';
import { type AskWorker, createLatest, Superseded } from './worker-client.ts';

/** Where a document came from, for whoever wants to send it to the service. */
export type Origin =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'text' }
  | { readonly kind: 'url'; readonly url: string }
  /** Only its chunks are known. */
  | { readonly kind: 'answer' };

/** The document that is looked at. */
export interface Source {
  readonly reading: Reading;
  readonly origin: Origin;
}

/** How one tier cut it. */
export interface Result {
  readonly cuts: Cuts;
  readonly options: CutOptions;
  /** How long the cut took here; absent when the service made it. */
  readonly ms?: number;
}

/** A tier as the page offers it. */
export interface TierChoice {
  readonly id: string;
  readonly description: string;
  /** Cut in the page, whatever the service says. */
  readonly isLocal: boolean;
  /** What the service has of it; undefined when it has not, or nothing is known of the service. */
  readonly offer: OverviewTier | undefined;
}

/** What the page is busy with. */
export type Busy = { readonly what: 'reading' | 'sending'; readonly name: string } | undefined;

const LOCAL_DESCRIPTIONS: Readonly<Record<LocalTier, string>> = {
  free: 'Cuts at paragraphs, lines, blanks, characters.',
  standard: 'Cuts between sentences.',
  structure: 'Keeps headings, tables, lists and code whole.',
};

const NO_SERVICE = 'The service does not answer, and only it can fetch links.';

/** Whether a tier is cut in the page. */
function isLocal(tier: string): tier is LocalTier {
  return (LOCAL_TIERS as readonly string[]).includes(tier);
}

/** What the state needs of the world. */
export interface StateParts {
  readonly ask: AskWorker;
  readonly service: Service;
  readonly storage: JobStorage;
  readonly nowMs: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type State = ReturnType<typeof createState>;

/** The page's state, empty. */
export function createState({ ask, service, storage, nowMs, wait }: StateParts) {
  const overview = signal<Overview | undefined>(undefined);
  const source = signal<Source | undefined>(undefined);
  const options = signal<CutOptions>({ size: 1000, overlap: 0, unit: 'characters' });
  const tier = signal<string>('structure');
  /** The tier it is compared with. */
  const other = signal<string | undefined>(undefined);
  const results = signal<ReadonlyMap<string, Result>>(new Map());
  const busy = signal<Busy>(undefined);
  const fault = signal<string | undefined>(undefined);
  const current = signal<{ readonly chunk: number | undefined; readonly reveal: boolean }>({
    chunk: undefined,
    reveal: false,
  });
  const order = signal<Order | undefined>(undefined);
  const job = signal<(Job & Partial<JobStatus>) | undefined>(undefined);

  const tiers: ReadonlySignal<readonly TierChoice[]> = computed(() => choices(overview.value));
  const first = computed(() => results.value.get(tier.value));
  const second = computed(() => (other.value === undefined ? undefined : results.value.get(other.value)));
  const comparison: ReadonlySignal<Comparison | undefined> = computed(() => {
    const text = source.value?.reading.text;
    if (text === undefined || first.value === undefined || second.value === undefined) return undefined;
    return compareBoundaries(boundariesOf(first.value.cuts, text), boundariesOf(second.value.cuts, text));
  });

  /** The chunk to look at once its tier is cut. */
  let wantedChunk: number | undefined;
  function arrive(): void {
    current.value = { chunk: wantedChunk, reveal: wantedChunk !== undefined };
    wantedChunk = undefined;
  }

  const latestCut = createLatest();
  const stopCutting = effect(() => {
    const of = source.value;
    const wanted = [tier.value, other.value].filter((id) => id !== undefined).filter(isLocal);
    const by = options.value;
    if (of === undefined) return;
    latestCut(async () => {
      const made: [string, Result][] = [];
      for (const id of new Set(wanted)) {
        const known = results.peek().get(id);
        if (known?.options === by) continue;
        const { cuts, ms } = await ask('cut', { tier: id, options: by });
        made.push([id, { cuts, ms, options: by }]);
      }
      if (source.peek() === of && made.length > 0) {
        batch(() => {
          results.value = new Map([...results.peek(), ...made]);
          arrive();
        });
      }
    }).catch(report);
  });

  function report(error: unknown): void {
    if (error instanceof Superseded || (error instanceof Error && error.name === 'AbortError')) return;
    fault.value = error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
  }

  function setSource(next: Source): void {
    batch(() => {
      source.value = next;
      results.value = new Map();
      current.value = { chunk: undefined, reveal: false };
      fault.value = undefined;
      if (!isLocal(tier.peek())) tier.value = 'structure';
    });
  }

  const latestRead = createLatest();
  async function reading(name: string, origin: Origin, read: () => Promise<Reading>): Promise<void> {
    busy.value = { what: 'reading', name };
    fault.value = undefined;
    try {
      setSource({ reading: await latestRead(read), origin });
    } catch (error) {
      report(error);
    } finally {
      busy.value = undefined;
    }
  }

  const openFile = (file: File): Promise<void> =>
    reading(file.name, { kind: 'file', file }, async () => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      return ask('read', { bytes, filename: file.name, contentType: file.type });
    });
  const openText = (text: string, filename = 'text.txt'): Promise<void> =>
    reading(filename, { kind: 'text' }, () => ask('take', { text, filename }));

  /** Shows what the service answered: on the text that is here, if it is that, or else on what its chunks hold. */
  async function take(body: unknown, from: Origin): Promise<void> {
    const answer = readAnswer(body);
    if (answer.kind === 'link') return take(await service.result(answer.resultId), from);
    if (answer.kind === 'job') {
      follow({
        id: answer.jobId,
        tier: tier.peek(),
        filename: source.peek()?.reading.filename ?? 'document',
        begunMs: nowMs(),
      });
      return undefined;
    }
    const result = { cuts: cutsFromChunks(answer.chunks), options: options.peek() };
    const here = source.peek();
    const isHere = here !== undefined && fits(answer.chunks, here.reading.text);
    const read = isHere ? undefined : await ask('take', documentOfChunks(answer));
    batch(() => {
      if (read !== undefined) {
        const reading = { ...read, ...aboutChunks(answer) };
        setSource({ reading, origin: from.kind === 'url' ? from : { kind: 'answer' } });
      }
      results.value = new Map([...results.peek(), [answer.tier, result]]);
      tier.value = answer.tier;
    });
    return undefined;
  }

  let following = new AbortController();
  function follow(next: Job): void {
    following.abort();
    following = new AbortController();
    const { signal: end } = following;
    job.value = next;
    keepJob(storage, next);
    const onStatus = (status: JobStatus): void => {
      job.value = { ...next, ...status };
    };
    followJob(next.id, { service, wait, signal: end, onStatus })
      .then((result) => take(result, { kind: 'answer' }))
      .catch(report)
      .finally(() => {
        if (end.aborted) return;
        job.value = undefined;
        keepJob(storage, undefined);
      });
  }

  /** Sends a request that costs nothing, or opens the part that pays. */
  async function request(wanted: Order): Promise<void> {
    const offer = wanted.overview.tiers.find(({ id }) => id === wanted.tier);
    if (offer !== undefined && offer.amount > 0) {
      order.value = wanted;
      return;
    }
    busy.value = { what: 'sending', name: wanted.tier };
    fault.value = undefined;
    try {
      await answered(await service.send(wanted), wanted);
    } catch (error) {
      report(error);
    } finally {
      busy.value = undefined;
    }
  }

  async function answered(body: unknown, { request: asked }: Order): Promise<void> {
    order.value = undefined;
    const url = asked.kind === 'json' ? asked.body['url'] : undefined;
    await take(body, typeof url === 'string' ? { kind: 'url', url } : { kind: 'answer' });
  }

  return {
    overview,
    source,
    options,
    tier,
    other,
    results,
    busy,
    fault,
    current,
    order,
    job,
    tiers,
    first,
    second,
    comparison,
    openFile,
    openText,
    request,
    answered: (body: unknown, of: Order) => answered(body, of).catch(report),
    report,
    /** Asks the service what it offers, and goes on with a job that an earlier visit has begun. */
    async start(): Promise<void> {
      const left = keptJob(storage, nowMs());
      if (left !== undefined) follow(left);
      // Without a service, as when the files are looked at alone, the page still cuts.
      overview.value = await service.overview().catch(() => undefined);
    },
    /** Asks for a document behind a link, which only the service can fetch. */
    async openUrl(url: string, by: string): Promise<void> {
      const about = overview.peek();
      if (about === undefined) throw new Error(NO_SERVICE);
      await request({
        tier: by,
        overview: about,
        request: requestFor({ kind: 'url', url }, undefined, by, options.peek(), about),
      });
    },
    /** Exact o200k tokens of a text. */
    async countTokens(text: string): Promise<number> {
      const [tokens = 0] = await ask('count', { texts: [text] });
      return tokens;
    },
    recordsOf: (wanted: RecordsWanted) => ask('records', wanted),
    /** The chunks nearest to a question, by each tier that is cut here and each that the service has cut. */
    async search(
      question: string,
      most: number,
    ): Promise<{ tier: string; cuts: Cuts; hits: readonly Hit[] }[]> {
      const text = source.peek()?.reading.text ?? '';
      const by = options.peek();
      const made: [string, Cuts][] = [];
      for (const id of LOCAL_TIERS) {
        const known = results.peek().get(id);
        made.push([
          id,
          known?.options === by ? known.cuts : (await ask('cut', { tier: id, options: by })).cuts,
        ]);
      }
      for (const [id, { cuts }] of results.peek()) if (!isLocal(id)) made.push([id, cuts]);
      const hits = await ask('search', { question, text, most, cuts: made.map(([, cuts]) => cuts) });
      return made.map(([id, cuts], index) => ({ tier: id, cuts, hits: hits[index] ?? [] }));
    },
    /** Brings a chunk of a tier into view once that tier is cut. */
    showChunk(by: string, chunk: number): void {
      tier.value = by;
      if (other.peek() === by) other.value = undefined;
      wantedChunk = chunk;
      if (results.peek().get(by)?.options === options.peek() || !isLocal(by)) arrive();
    },
    forgetJob(): void {
      following.abort();
      job.value = undefined;
      keepJob(storage, undefined);
    },
    step(by: number): void {
      const cuts = first.peek()?.cuts;
      if (cuts === undefined || countOf(cuts) === 0) return;
      const last = countOf(cuts) - 1;
      const from = current.peek().chunk ?? (by > 0 ? -1 : last + 1);
      current.value = { chunk: Math.min(last, Math.max(0, from + by)), reveal: true };
    },
    close(): void {
      stopCutting();
      following.abort();
    },
  };
}

/** The tiers to choose from: those that are cut here, and what the service has besides. */
function choices(overview: Overview | undefined): TierChoice[] {
  const offers = overview?.tiers ?? [];
  const offerOf = (id: string): OverviewTier | undefined =>
    offers.find((offer) => offer.id === id || (id === 'free' && offer.id === 'demo'));
  return [
    ...LOCAL_TIERS.map((id) => ({
      id,
      description: LOCAL_DESCRIPTIONS[id],
      isLocal: true,
      offer: offerOf(id),
    })),
    ...offers
      .filter(({ id }) => !isLocal(id) && id !== 'demo')
      .map((offer) => ({ id: offer.id, description: offer.description, isLocal: false, offer })),
  ];
}

/**
 * The request by which the service cuts a document: a file as it is where its kind is taken, else the text that was read
 * from it.
 */
export function requestFor(
  origin: Origin,
  reading: Reading | undefined,
  tier: string,
  { size, overlap, unit }: CutOptions,
  overview: Overview,
): ChunkRequest {
  const cutting = { chunk_size: size, chunk_overlap: overlap, unit };
  if (origin.kind === 'file' && overview.upload_types.includes(kindOf(reading))) {
    const fields = { chunk_size: String(size), chunk_overlap: String(overlap), unit };
    return { kind: 'upload', file: origin.file, fields };
  }
  if (origin.kind === 'url') return { kind: 'json', body: { url: origin.url, tier, ...cutting } };
  const { text = '', filename = 'text.txt', mediaType } = reading ?? {};
  const name =
    mediaType === 'text/plain' || /\.(?:md|markdown)$/i.test(filename) ? filename : `${filename}.md`;
  return { kind: 'json', body: { text, filename: name, tier, ...cutting } };
}

const KINDS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
};

/** What the service calls the kind of a document; '' when it has no name for it. */
export function kindOf(reading: Pick<Reading, 'mediaType'> | undefined): string {
  return KINDS[reading?.mediaType ?? ''] ?? '';
}
