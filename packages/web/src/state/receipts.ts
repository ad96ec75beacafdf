// Receipts that a visitor brings in place of a document. The check loads with the first file that may be one.
import type { BroughtReceipt } from '../receipts/check-receipt.ts';
import { readContent } from '../service/paid-answers.ts';
import type { StateDeps } from './service-chunks.ts';
import type { Signals } from './signals.ts';

/** Receipts, answers and sets of keys; a text is one when it begins like a JWS. */
const BESIDE = /\.(?:json|jws|jose)$/i;
const JWS_BEGINS = 'eyJ';

/** Checks receipts; each call resolves with false when it was given documents. */
export function createReceipts(
  { receiptCheck, paidAnswers, report }: Signals,
  { service }: Pick<StateDeps, 'service'>,
) {
  const load = () => import('../receipts/check-receipt.ts');

  async function chunksOf(transaction: string): Promise<readonly unknown[] | undefined> {
    const answer = paidAnswers.peek().find(({ receipt }) => receipt.transaction === transaction);
    return answer && (await readContent(answer))?.chunks;
  }

  async function check(brought: BroughtReceipt | undefined): Promise<boolean> {
    if (brought === undefined) return false;
    try {
      const { checkReceipt } = await load();
      const serviceKeys = service && (() => service.receiptKeys());
      receiptCheck.value = await checkReceipt(brought, { serviceKeys, chunksOf });
    } catch (error) {
      report(error);
    }
    return true;
  }

  return {
    async checkFiles(files: readonly File[]): Promise<boolean> {
      const may = await Promise.all(files.map(mayBelong));
      return !may.includes(false) && check(await (await load()).receiptAmong(files));
    },
    async checkText(text: string): Promise<boolean> {
      return text.startsWith(JWS_BEGINS) && check((await load()).receiptIn(text));
    },
  };
}

/** Documents open without the part of the page that checks receipts. */
async function mayBelong(file: File): Promise<boolean> {
  return BESIDE.test(file.name) || (await file.slice(0, JWS_BEGINS.length).text()) === JWS_BEGINS;
}
