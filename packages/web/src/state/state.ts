// The state of the web app: its values and actions. Components show it; it has no elements.
import { batch, computed, effect } from '@preact/signals';
import { boundariesOf, type Comparison, compareBoundaries } from '../document/compare.ts';
import { isPicture } from '../document/kinds.ts';
import { changeReading, isSameReading, type ReadingValues } from '../document/reading-options.ts';
import type { RecordsWanted } from '../worker/protocol.ts';
import { type StateDeps, createServiceChunks } from './service-chunks.ts';
import { createLocalChunks } from './local-chunks.ts';
import { readSettings, writeSettings } from './settings-address.ts';
import { createSignals, type OpenDocument, type ScannedFile, type WorkTerms } from './signals.ts';
import { tierChoices } from '../document/tiers.ts';

export type State = ReturnType<typeof createState>;

/** Only these open by a password; a protected Word file has to be saved without one. */
const PDF_NAME = /\.pdf$/i;

/** What OCR could read of a file that has failed; undefined for other failures. */
function scanKind(code: unknown, { name }: File): ScannedFile['kind'] | undefined {
  if (code === 'no_text') return 'scan';
  return code === 'unsupported_type' && isPicture(name) ? 'picture' : undefined;
}

/** Pages of a rejected scan; a picture is one. */
function countOf(error: unknown): number {
  return error instanceof Error && 'count' in error && typeof error.count === 'number' ? error.count : 1;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The initial state. */
export function createState(deps: StateDeps) {
  const { ask } = deps;
  const signals = createSignals();
  const { source, tier, other, results, overview, options, reading, locked, scanned } = signals;
  const localChunks = createLocalChunks(signals, ask);
  const serviceChunks = createServiceChunks(signals, deps);

  const tiers = computed(() => tierChoices(overview.value));
  const first = computed(() => results.value.get(tier.value));
  const second = computed(() => (other.value === undefined ? undefined : results.value.get(other.value)));
  const comparison = computed((): Comparison | undefined => {
    const text = source.value?.reading.text;
    if (text === undefined || first.value === undefined || second.value === undefined) return undefined;
    return compareBoundaries(boundariesOf(first.value.cuts, text), boundariesOf(second.value.cuts, text));
  });

  /** Takes the settings of the address. */
  const readAddress = (): void => {
    const settings = readSettings(deps.address.read());
    batch(() => {
      tier.value = settings.tier;
      other.value = settings.other;
      options.value = settings.options;
    });
    const next = changeReading(settings.reading, 'pages', reading.peek().pages ?? '');
    if (!isSameReading(next, reading.peek())) void readBy(next);
  };
  readAddress();
  const closeAddress = effect(() => {
    const settings = { tier: tier.value, other: other.value, options: options.value, reading: reading.value };
    deps.address.write(writeSettings(settings));
  });

  function open(name: string, read: (terms: WorkTerms) => Promise<OpenDocument>): Promise<void> {
    return signals.whileBusy(
      { what: 'reading', name },
      async (terms) => signals.setSource(await read(terms)),
      signals.beginDocument(),
    );
  }

  function readFile(file: File, password: string | undefined, by: ReadingValues, ocr = false): Promise<void> {
    return open(file.name, async (terms) => {
      locked.value = undefined;
      scanned.value = undefined;
      try {
        const read = await ask('read', { file, password, by, ocr }, terms);
        const readAgain = (next: ReadingValues): Promise<void> => readFile(file, password, next, ocr);
        reading.value = by;
        const origin =
          password === undefined && !ocr ? ({ kind: 'file', file } as const) : ({ kind: 'text' } as const);
        const readScans = read.hasScans && !ocr ? () => readFile(file, password, by, true) : undefined;
        return { reading: read, origin, by, readAgain, ...(readScans && { readScans }) };
      } catch (error) {
        const isWrong = codeOf(error) === 'wrong_password';
        if (isWrong || (codeOf(error) === 'encrypted' && PDF_NAME.test(file.name)))
          locked.value = { file, isWrong };
        const kind = scanKind(codeOf(error), file);
        if (kind !== undefined && !ocr) scanned.value = { file, password, kind, pages: countOf(error) };
        throw error;
      }
    });
  }

  /** Reads the open file again with options; the former ones stay with the former text when that fails. */
  async function readBy(next: ReadingValues): Promise<void> {
    reading.value = next;
    const { by = {}, readAgain } = source.peek() ?? {};
    if (readAgain === undefined) return;
    // Back at those of the text, no other reading is wanted.
    if (isSameReading(next, by)) signals.beginDocument();
    else await readAgain(next);
    if (reading.peek() === next && source.peek()?.by !== next) reading.value = by;
  }

  return {
    ...signals,
    ...localChunks,
    ...serviceChunks,
    readAddress,
    tiers,
    first,
    second,
    comparison,
    /**
     * A protected file is sent to a service as its text, so that its password stays in the page; one that OCR has read
     * is, too, because the service may have none.
     *
     * @param password that of a PDF which an earlier call has put into `locked`
     */
    openFile: (file: File, password?: string): Promise<void> =>
      readFile(file, password, changeReading(reading.peek(), 'pages', '')),
    /** Reads a file without text by OCR. */
    readScanned: ({ file, password }: ScannedFile): Promise<void> =>
      readFile(file, password, changeReading(reading.peek(), 'pages', ''), true),
    /** Changes an option of reading, and reads the open file again. */
    changeReading: (key: string, value: string): Promise<void> =>
      readBy(changeReading(reading.peek(), key, value)),
    /** @param text the text, or a function that fetches it */
    openText: (text: string | (() => Promise<string>), filename = 'text.txt'): Promise<void> =>
      open(filename, async (terms) => {
        const whole = typeof text === 'string' ? text : await text();
        return { reading: await ask('take', { text: whole, filename }, terms), origin: { kind: 'text' } };
      }),
    /** Exact o200k tokens of a text. */
    countTokens: async (text: string): Promise<number> => {
      const [tokens = 0] = await ask('count', { texts: [text] });
      return tokens;
    },
    /** Closes the document and frees its memory. */
    putAway(): void {
      ask.end();
      signals.setSource(undefined);
    },
    /** Draws a page of the open PDF, with so many pixels a point. */
    drawPage: (page: number, scale: number) => ask('draw', { page, scale }),
    /** The same as an image file. */
    pictureOf: (page: number, scale: number) => ask('picture', { page, scale }),
    recordsOf: (wanted: RecordsWanted) => ask('records', wanted),
    close(): void {
      localChunks.close();
      serviceChunks.close();
      closeAddress();
    },
  };
}
