// The command `grainline-server`: arguments, settings, signals, exit codes. commands/payments.ts has the operator's
// payment commands. Output is for people; the log, for programs, goes to standard error.
import { paymentsUsage, runPayments } from '../commands/payments.ts';
import { startService, type RunningService } from './server.ts';
import { findMisspelled } from '../settings/misspelled.ts';
import {
  readSettings,
  readStoreLocation,
  SETTINGS,
  SettingsError,
  showDefault,
} from '../settings/settings.ts';
import { processTerminal, type Terminal } from '../commands/terminal.ts';
import { VERSION } from './version.ts';

/** Options of {@link main}. */
export interface MainOptions {
  /** Called when the service listens; its text is printed after the address. */
  readonly greeting?: (url: string) => string;
}

/** A terminal and its npm both forward Ctrl-C: signals this close are one. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs the service until it is stopped. Resolves with the exit code: 0 after a graceful stop, 1 when it cannot start, 2
 * when arguments or settings are wrong.
 */
export async function main(
  argv: readonly string[] = [],
  terminal: Terminal = processTerminal(),
  { greeting }: MainOptions = {},
): Promise<number> {
  const [argument] = argv;
  if (argument === '--help' || argument === '-h') return say(terminal, helpText());
  if (argument === '--version' || argument === '-v') return say(terminal, VERSION);
  if (argument === 'payments') return runPayments(argv.slice(1), terminal);
  if (argument === 'migrate') return runMigrate(argv.slice(1), terminal);
  if (argument !== undefined) {
    terminal.complain(
      `grainline-server: unknown argument ${JSON.stringify(argument)}. Settings come from the environment; see --help.`,
    );
    return 2;
  }
  warnMisspelled(terminal);
  try {
    const service = await startService(readSettings(terminal.environment));
    // Before anything is printed: a reader of the first line may send a signal at once.
    const stopped = stopOnSignal(service, terminal);
    terminal.print(`grainline-server ${VERSION} listens on ${service.url}`);
    if (greeting !== undefined) terminal.print(greeting(service.url));
    await stopped;
    return 0;
  } catch (error) {
    terminal.complain(`grainline-server: ${messageOf(error)}`);
    return error instanceof SettingsError ? 2 : 1;
  }
}

function warnMisspelled({ environment, complain }: Pick<Terminal, 'environment' | 'complain'>): void {
  const names = Object.values(SETTINGS).map(({ name }) => name);
  for (const { name, meant } of findMisspelled(Object.keys(environment), names))
    complain(`grainline-server: ${name} is no setting and changes nothing. Did you mean ${meant}?`);
}

const MIGRATE_HELP = `Usage: grainline-server migrate

Makes the tables of DATABASE_URL, or brings them up to date, and ends; also while servers run. Where DATABASE_MIGRATIONS
is by-hand, a new version does not start before it.
Exit codes: 0 done, 1 the database cannot be reached or brought up to date, 2 wrong arguments or settings.`;

/** Creates or updates the tables of DATABASE_URL, for starts that may not. Safe beside running servers. */
async function runMigrate(
  argv: readonly string[],
  terminal: Pick<Terminal, 'environment' | 'print' | 'complain'>,
): Promise<number> {
  const [argument] = argv;
  if (argument === '--help' || argument === '-h') {
    terminal.print(MIGRATE_HELP);
    return 0;
  }
  if (argument !== undefined) {
    terminal.complain(
      `grainline-server migrate: takes no arguments, but got ${JSON.stringify(argument)}. Settings come from the environment; see --help.`,
    );
    return 2;
  }
  try {
    const { databaseUrl } = readStoreLocation(terminal.environment);
    if (databaseUrl === undefined) {
      terminal.print('DATABASE_URL is not set: the embedded store brings itself up to date.');
      return 0;
    }
    const { migrateDatabase } = await import('../store/postgres/index.ts');
    const { before, after } = await migrateDatabase(databaseUrl);
    terminal.print(
      before === after
        ? `The tables are up to date, at step ${after}.`
        : `Brought the tables from step ${before} to step ${after}.`,
    );
    return 0;
  } catch (error) {
    terminal.complain(`grainline-server migrate: ${messageOf(error)}`);
    return error instanceof SettingsError ? 2 : 1;
  }
}

/**
 * Resolves when the service has stopped after the first signal. The second signal ends it at once.
 *
 * @throws PaymentsSetupError when it stopped because payments can never work with its settings
 */
async function stopOnSignal(service: RunningService, terminal: Terminal): Promise<void> {
  let firstMs: number | undefined;
  await new Promise<void>((resolve, reject) => {
    const leave = terminal.onSignal(() => {
      if (firstMs === undefined) {
        firstMs = terminal.now();
        service.stop().finally(leave).then(resolve, reject);
      } else if (terminal.now() - firstMs >= SAME_SIGNAL_MS) terminal.exit(1);
    });
    service.ready.catch((error: unknown) => {
      leave();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

function say(terminal: Terminal, text: string): number {
  terminal.print(text);
  return 0;
}

const NAME_COLUMN = Math.max(...Object.values(SETTINGS).map(({ name }) => name.length));

function helpText(): string {
  const settings = Object.values(SETTINGS).map(
    (setting) =>
      `  ${setting.name.padEnd(NAME_COLUMN)} ${setting.meaning} [${showDefault(setting).replaceAll('`', '')}]`,
  );
  return [
    'Usage: grainline-server [--help] [--version]',
    '       grainline-server payments <command> [options]',
    '       grainline-server migrate',
    '',
    'Serves Grainline over HTTP until SIGTERM or SIGINT; a second signal ends it at once.',
    'Exit codes: 0 stopped, 1 could not start, 2 wrong arguments or settings.',
    '',
    'Payments, also while the server runs (payments --help):',
    ...paymentsUsage(),
    '',
    'migrate makes the tables of DATABASE_URL, or brings them up to date, and ends.',
    '',
    'Settings, from the environment [default]:',
    ...settings,
  ].join('\n');
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return `port ${String(port)} is taken; set PORT to another one (0 takes any).`;
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES')
    return `cannot listen on ${[address, port].filter(Boolean).join(':')} (${code}); set HOST to an address of this machine, or PORT to one that this user may use.`;
  return error.message;
}
