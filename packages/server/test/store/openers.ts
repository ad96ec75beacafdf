// Processes of `opener.ts` that open the same store at the same moment, like servers that start together.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { StoreTask } from './store-process.ts';

const HOOK = new URL('../sandbox/from-sources.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('./opener.ts', import.meta.url));
/** Longer than the way of a line to a process. */
const AHEAD_MS = 15;

/** An input line of an opener. */
export interface Opening {
  readonly address: StoreTask['address'];
  /** Moment of the opening, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Processes that wait for a store to open. */
export interface Openers {
  /** Opens and closes a store in every process at the same moment; each replies `opened` or its error. */
  open(address: Opening['address']): Promise<string[]>;
  end(): void;
}

/** Starts the processes; resolves when each waits. */
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
