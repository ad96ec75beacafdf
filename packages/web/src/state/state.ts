// The state of the web app: its values and actions. Components show it; it has no elements.
import { batch, computed, effect } from '@preact/signals';
import { boundariesOf, type Comparison, compareBoundaries } from '../document/compare.ts';
import { changeReading, isSameReading } from '../document/reading-options.ts';
import type { RecordsWanted } from '../worker/protocol.ts';
import { type StateDeps, createServiceChunks } from './service-chunks.ts';
import { createLocalChunks } from './local-chunks.ts';
import { readSettings, writeSettings } from './settings-address.ts';
import { createOpening } from './opening.ts';
import { createReceipts } from './receipts.ts';
import { createSignals, type ScannedFile } from './signals.ts';
import { tierChoices } from '../document/tiers.ts';

export type State = ReturnType<typeof createState>;

/** The initial state. */
export function createState(deps: StateDeps) {
  const { ask } = deps;
  const signals = createSignals();
  const { source, tier, other, results, overview, options, reading } = signals;
  const localChunks = createLocalChunks(signals, ask);
  const serviceChunks = createServiceChunks(signals, deps);
  const { open, readFile, readBy } = createOpening(signals, ask);
  const receipts = createReceipts(signals, deps);

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

  const openFile = (file: File, password?: string): Promise<void> =>
    readFile(file, password, changeReading(reading.peek(), 'pages', ''));
  const openText = (text: string | (() => Promise<string>), filename = 'text.txt'): Promise<void> =>
    open(filename, async (terms) => {
      const whole = typeof text === 'string' ? text : await text();
      return { reading: await ask('take', { text: whole, filename }, terms), origin: { kind: 'text' } };
    });

  return {
    ...signals,
    ...localChunks,
    ...serviceChunks,
    readAddress,
    /** False in the static demo. */
    hasService: deps.service !== undefined,
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
    openFile,
    /** Opens a document, or checks a receipt with the answer and the keys beside it. */
    async openFiles(files: readonly File[]): Promise<void> {
      const [file, ...others] = files;
      if (file === undefined || (await receipts.checkFiles(files))) return;
      if (others.length === 0) return openFile(file);
      signals.report(new Error(`These are ${files.length} files: bring one at a time.`));
    },
    /** Opens a pasted text, or checks the receipt in it. */
    async openPasted(text: string): Promise<void> {
      if (!(await receipts.checkText(text))) await openText(text);
    },
    /** Reads a file without text by OCR. */
    readScanned: ({ file, password }: ScannedFile): Promise<void> =>
      readFile(file, password, changeReading(reading.peek(), 'pages', ''), true),
    /** Changes an option of reading, and reads the open file again. */
    changeReading: (key: string, value: string): Promise<void> =>
      readBy(changeReading(reading.peek(), key, value)),
    /** @param text the text, or a function that fetches it */
    openText,
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
