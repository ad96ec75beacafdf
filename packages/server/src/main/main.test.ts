import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from './main.ts';
import type { Terminal } from '../commands/terminal.ts';
import { SETTINGS } from '../settings/settings.ts';
import { VERSION } from './version.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-main-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A terminal in memory; `signal()` is Ctrl-C. */
function memoryTerminal(environment: Record<string, string> = {}) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const exits: number[] = [];
  const clock = { now: 0 };
  let listener: (() => void) | undefined;
  let announce: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => (announce = resolve));
  const terminal: Terminal = {
    environment: { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', WORKERS: '1', ...environment },
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    drained: () => Promise.resolve(),
    onSignal: (given) => {
      listener = given;
      announce();
      return () => (listener = undefined);
    },
    exit: (code) => void exits.push(code),
    now: () => clock.now,
  };
  return {
    terminal,
    printed,
    complaints,
    exits,
    clock,
    listening,
    signal: () => listener?.(),
    listens: () => listener !== undefined,
  };
}

describe('grainline-server', () => {
  it('prints where it listens, serves, and stops at a signal with exit code 0', async () => {
    const { terminal, printed, listening, signal, listens } = memoryTerminal();
    const print = (text: string): void => {
      expect(listens()).toBe(true);
      terminal.print(text);
    };
    const ended = main([], { ...terminal, print }, { greeting: (url) => `Try ${url}/` });
    await listening;
    const [, url = ''] =
      /^grainline-server \S+ listens on (http:\/\/127\.0\.0\.1:\d+)$/.exec(printed[0] ?? '') ?? [];
    expect(printed[1]).toBe(`Try ${url}/`);
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    signal();
    expect(await ended).toBe(0);
    expect(listens()).toBe(false);
  });

  it('tells of names that are one letter away from a setting, and starts all the same', async () => {
    const { terminal, complaints, listening, signal } = memoryTerminal({ PAYMENT: 'off', HOME: '/' });
    const ended = main([], terminal);
    await listening;
    signal();
    expect(await ended).toBe(0);
    expect(complaints).toEqual([
      'grainline-server: PAYMENT is no setting and changes nothing. Did you mean PAYMENTS?',
    ]);
  });

  it('ends at once at a second signal, but takes two signals of one Ctrl-C for one', async () => {
    const { terminal, exits, clock, listening, signal } = memoryTerminal();
    const ended = main([], terminal);
    await listening;
    signal();
    clock.now = 10;
    signal();
    expect(exits).toEqual([]);
    clock.now = 500;
    signal();
    expect(exits).toEqual([1]);
    await ended;
  });

  it('prints all faults of the settings and exits with 2', async () => {
    const { terminal, complaints } = memoryTerminal({ PORT: 'x', MAX_IN_WORK: '0', HOST: '0.0.0.0' });
    expect(await main([], terminal)).toBe(2);
    for (const name of ['PORT', 'MAX_IN_WORK', 'PUBLIC_URL']) expect(complaints.join('\n')).toContain(name);
  });

  it('says that a port is taken and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { terminal, complaints } = memoryTerminal({ PORT: String(port) });
    expect(await main([], terminal)).toBe(1);
    expect(complaints.join('\n')).toBe(
      `grainline-server: port ${port} is taken; set PORT to another one (0 takes any).`,
    );
    other.close();
  });

  it('says that an address is none of this machine, without a port where any would do', async () => {
    const { terminal, complaints } = memoryTerminal({ HOST: '192.0.2.1', PUBLIC_URL: 'http://x.example' });
    expect(await main([], terminal)).toBe(1);
    expect(complaints.join('\n')).toMatch(/^grainline-server: cannot listen on 192\.0\.2\.1 \(.*set HOST/);
  });

  it('says that the data folder cannot be used and exits with 1', async () => {
    const { terminal, complaints } = memoryTerminal({ DATA_DIR: join(import.meta.dirname, 'main.ts') });
    expect(await main([], terminal)).toBe(1);
    expect(complaints.join('\n')).toContain('DATA_DIR');
  });

  it.each(['--help', '-h'])('%s lists every setting', async (argument) => {
    const { terminal, printed } = memoryTerminal();
    expect(await main([argument], terminal)).toBe(0);
    for (const { name } of Object.values(SETTINGS)) expect(printed.join('\n')).toContain(name);
    for (const command of ['list', 'show KEY', 'refund KEY', 'refunded KEY', 'export'])
      expect(printed.join('\n')).toContain(`payments ${command}`);
  });

  it('says what migrate does when it is asked, and what is wrong with its arguments', async () => {
    const requests = memoryTerminal();
    expect(await main(['migrate', '--help'], requests.terminal)).toBe(0);
    expect(requests.printed.join('')).toContain('Makes the tables of DATABASE_URL');
    const wrong = memoryTerminal();
    expect(await main(['migrate', '--now'], wrong.terminal)).toBe(2);
    expect(wrong.complaints).toEqual([
      'grainline-server migrate: takes no arguments, but got "--now". Settings come from the environment; see --help.',
    ]);
  });

  it.each(['--version', '-v'])('%s prints the version', async (argument) => {
    const { terminal, printed } = memoryTerminal();
    expect(await main([argument], terminal)).toBe(0);
    expect(printed).toEqual([VERSION]);
  });

  it('knows the payments of its store', async () => {
    const { terminal, complaints } = memoryTerminal();
    expect(await main(['payments', 'list'], terminal)).toBe(1);
    expect(complaints.join('\n')).toContain('no server has kept anything in');
  });

  it('refuses what it does not know with exit code 2', async () => {
    const { terminal, complaints } = memoryTerminal();
    expect(await main(['--port=1'], terminal)).toBe(2);
    expect(complaints.join('\n')).toContain('"--port=1"');
  });
});
