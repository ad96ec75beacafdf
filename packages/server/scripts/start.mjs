// `npm start` and `npm run serve`: builds what is missing or older than its sources, then runs the service in this
// process. `npm start` is for trying it out: requests are not limited, and unless PAYMENTS or PAY_TO say otherwise it
// takes play money, from a chain and a wallet that it starts beside the service, and prints some first requests. Unless
// a setting AI_… says otherwise, a script stands in for a language model, and everything says so. With --serve all
// settings are the environment's. package.json starts it with `exec`: npm then sends its signals to this process and
// waits for its end. Otherwise a shell is between them and does not pass signals on. cmd.exe has no `exec` and runs the
// command after `||`.
import '../../core/scripts/check-node.mjs';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:net';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../..');
/** In the order in which they are built: each stands on those before it. */
const BUILT = [
  { name: 'core', output: 'index.js' },
  { name: 'extract', output: 'index.js' },
  { name: 'models', output: 'index.js' },
  { name: 'pipeline', output: 'index.js' },
  { name: 'x402', output: 'index.js' },
  { name: 'client', output: 'index.js' },
  { name: 'server', output: 'bin.js' },
  { name: 'web', output: '../../server/dist/web/index.html', manifest: 'vite.config.ts' },
  { name: 'playground', output: 'index.js' },
  { name: 'cli', output: 'bin.js' },
];
/** Where the service will listen; as for the service itself, what is set to nothing is not set. */
const HOST = process.env.HOST?.trim() || '127.0.0.1';
const PORT = process.env.PORT?.trim() || '8402';
/** Where Solana's tools expect a local chain; if it is taken, any port. */
const CHAIN_PORT = 8899;
const FAREWELL = '\nCtrl-C ends it.\n';

const serveOnly = process.argv.includes('--serve');

let stale = false;
for (const { name, output, manifest = 'tsup.config.ts' } of BUILT) {
  stale ||= isStale(join(PACKAGES, name), output, manifest);
  if (stale) build(name);
}

const { main, processTerminal } = await import('../dist/index.js');
const terminal = processTerminal();
process.exit(await (serveOnly ? main([], terminal) : tryOut()));

/** The service as it is tried out, with a scripted model unless the environment names another. */
async function tryOut() {
  // Before a wallet is made: its key would be written over that of the service that listens there.
  if (!(await isFree())) {
    terminal.complain(
      `Port ${PORT} is taken, perhaps by an earlier npm start; set PORT to another one (0 takes any).`,
    );
    return 1;
  }
  const isModelNamed = Object.keys(process.env).some((name) => /^AI_/.test(name));
  const scripted = isModelNamed ? undefined : await startScripted();
  try {
    return await tryOutWith(scripted);
  } finally {
    await scripted?.stop();
  }
}

/** With play money, or without payments where somebody says so or no play chain runs. */
async function tryOutWith(scripted) {
  const { PAYMENTS, PAY_TO } = process.env;
  const model = scripted?.environment;
  // Every play chain begins anew, so what was paid on an earlier one is not kept either: the service would miss those
  // payments on the chain, and block the wallet. A DATA_DIR of the environment counts without a play chain alone.
  const folder = mkdtempSync(join(tmpdir(), 'grainline-'));
  let playground;
  try {
    if (PAYMENTS === undefined && PAY_TO === undefined) playground = await startPlayground(keyFolder(folder));
    if (playground === undefined) {
      const environment = {
        RATE_LIMIT: 'off',
        ...(PAY_TO === undefined ? { PAYMENTS: 'off' } : {}),
        ...model,
        ...process.env,
      };
      const greeting = (url) => `${bannerOf(scripted)}${firstRequests(url)}${FAREWELL}`;
      return await main([], { ...terminal, environment }, { greeting });
    }
    const environment = { ...playground.environment, ...model, ...process.env, DATA_DIR: folder };
    const greeting = (url) =>
      `\n${playground.banner}\n${bannerOf(scripted)}${firstRequests(url)}${firstPurchase(url, playground)}${FAREWELL}`;
    return await main([], { ...terminal, environment }, { greeting });
  } finally {
    await playground?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Where the key of the play wallet is written: in the folder that is the service's own, which git ignores. Services on
 * other ports have folders of their own, since each has a chain of its own, on which the wallets of the others hold
 * nothing. Several may be started on port 0, which is any: their keys go with them.
 */
function keyFolder(passing) {
  const port = Number(PORT);
  // The service refuses a value that is no port.
  if (!(port > 0)) return passing;
  return port === 8402 ? 'data' : join('data', String(port));
}

/** False when somebody listens where the service would; whatever else is wrong with the address, the service says. */
function isFree() {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }) => resolve(code !== 'EADDRINUSE'));
    server.once('listening', () => server.close(() => resolve(true)));
    const port = Number(PORT);
    if (Number.isInteger(port) && port >= 0 && port < 65536) server.listen(port, HOST);
    else resolve(true);
  });
}

/** Chain, facilitator and wallet; undefined where the play chain cannot run, which is native code. */
async function startPlayground(keypairsIn) {
  try {
    const { startPlayground: start } = await import('../../playground/dist/index.js');
    const onPort = (port) => start({ keypairsIn, chain: { port } });
    return await onPort(CHAIN_PORT).catch((error) => {
      if (error.code !== 'EADDRINUSE') throw error;
      return onPort(0);
    });
  } catch (error) {
    console.error(`The play chain cannot run here, so every tier is free of charge: ${error.message}`);
    return undefined;
  }
}

/** A script in place of a language model, and the settings that lead to it; undefined where it cannot run. */
async function startScripted() {
  try {
    const { startScriptedModel } = await import('../../playground/dist/index.js');
    const { baseUrl, model, stop } = await startScriptedModel();
    return { stop, environment: { AI_BASE_URL: baseUrl, AI_MODEL: model, AI_PRICE: '0,0' } };
  } catch (error) {
    console.error(`The scripted model cannot run here, so the tier ai is unavailable: ${error.message}`);
    return undefined;
  }
}

function bannerOf(scripted) {
  if (scripted === undefined) return '';
  return `\n*** SCRIPTED MODEL *** The tier ai is answered by a script inside this process, which understands nothing: set AI_MODEL for a model.\n`;
}

/** True when a source is younger than the built file, or there is none. */
function isStale(folder, output, manifest) {
  const built = statSync(join(folder, 'dist', output), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(folder, 'src'), { recursive: true }).map((source) => join('src', source));
  const counted = [
    ...sources.filter((source) => /(?<!\.test)\.tsx?$|\.(?:css|md|svg|txt)$/.test(source)),
    'package.json',
    manifest,
  ];
  return counted.some((source) => statSync(join(folder, source)).mtimeMs > built);
}

function build(name) {
  console.log(`Building packages/${name} …`);
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'build'], {
    cwd: join(PACKAGES, name),
    encoding: 'utf8',
  });
  if (status === 0) return;
  console.error(`${stdout ?? ''}${stderr ?? ''}\nThe build of packages/${name} failed.`);
  process.exit(1);
}

function firstRequests(url) {
  return [
    '',
    `Open ${url}/ in a browser, and drop a PDF or text file of yours: see where each tier cuts it.`,
    '',
    'Or try it here:',
    '',
    `  curl -F file=@report.pdf ${url}/chunk/demo`,
    `  curl -H 'Content-Type: application/json' -d '{"text":"Some text.","tier":"free"}' ${url}/chunk`,
    '',
    `  curl ${url}/   # what there is: tiers, prices, formats, limits`,
    '',
  ].join('\n');
}

function firstPurchase(url, { chain, keypairFiles: [keypair] }) {
  return [
    '',
    '',
    'Buy chunks with play money:',
    '',
    `  npx grainline report.pdf --remote ${url} --tier structure --max-cost 0.01 \\`,
    `      --keypair ${keypair} --network solana-localnet --rpc ${chain.url}`,
    '',
  ].join('\n');
}
