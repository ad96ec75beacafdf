// Processes of opener.ts, which open the same store at the same moment, as servers do that are started together.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Errand } from './errand-process.ts';

const HOOK = new URL('../workplace/from-sources.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('./opener.ts', import.meta.url));
/** Longer than a line needs to reach a process. */
const AHEAD_MS = 15;

/** What an opener is told. */
export interface Opening {
  readonly address: Errand['address'];
  /** When to begin, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Processes that wait for a store to open. */
export interface Openers {
  /** Has all of them open and close a store at the same moment; of each, `opened` or what was wrong. */
  open(address: Opening['address']): Promise<string[]>;
  end(): void;
}

/** Starts so many processes; resolves when each waits. */
export async function startOpeners(count: number): Promise<Openers> {
  const openers = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ['--import', HOOK, PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async (): Promise<string> => {
      const line = await lines.next();
      if (line.done === true) throw new Error('an opener has ended');
      return line.value;
    };
    return { child, nextLine };
  });
  const answers = () => Promise.all(openers.map(({ nextLine }) => nextLine()));
  await answers();
  return {
    open: (address) => {
      const opening: Opening = { address, atMs: Date.now() + AHEAD_MS };
      for (const { child } of openers) child.stdin.write(`${JSON.stringify(opening)}\n`);
      return answers();
    },
    end: () => {
      for (const { child } of openers) child.kill('SIGKILL');
    },
  };
}
