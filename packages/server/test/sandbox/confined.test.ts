// Hostile code in a real child process: it must not read, write, start or reach anything.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcessPool, type ProcessPool } from '../../src/sandbox/process-pool.ts';
import { bytesTask, CONFINED_FROM_SOURCES, SETTINGS } from './tasks.ts';

const none = new AbortController().signal;
const DENIED = { refused: 'ERR_ACCESS_DENIED' };

let pool: ProcessPool;
/** The folder of a store. */
let dataDir: string;
let canary: Server;
let socketCanary: Server;
let visits = 0;
let port: number;

beforeAll(async () => {
  process.env['SECRET_KEY'] = 'do not tell';
  dataDir = mkdtempSync(path.join(tmpdir(), 'grainline-confined-'));
  writeFileSync(path.join(dataDir, 'secret'), 'do not tell');
  const visit = (): void => {
    visits++;
  };
  canary = createServer(visit);
  socketCanary = createServer(visit);
  await new Promise<void>((listening) => canary.listen(0, '127.0.0.1', listening));
  await new Promise<void>((listening) => socketCanary.listen(path.join(dataDir, 'socket'), listening));
  port = (canary.address() as { port: number }).port;
  pool = createProcessPool(
    { ...SETTINGS, workers: 1 },
    { ...CONFINED_FROM_SOURCES, childFile: fileURLToPath(new URL('./hostile-child.ts', import.meta.url)) },
  );
});

afterAll(async () => {
  delete process.env['SECRET_KEY'];
  await pool.close();
  canary.close();
  socketCanary.close();
  rmSync(dataDir, { recursive: true });
});

/**
 * Runs code in a child. The code can use the names `DATA` (a folder), `PORT` (a canary) and `PARENT` (this process).
 */
async function run(code: string): Promise<unknown> {
  const names = `const DATA = ${JSON.stringify(dataDir)}, PORT = ${port}, PARENT = ${process.pid};`;
  const { members } = await pool.run(
    bytesTask(Buffer.from('text'), {}, { records: { tierName: `${names} ${code}` } }),
    { signal: none },
  );
  return JSON.parse(members);
}

describe('code in a child process', () => {
  it('runs, so that the refusals below are refusals', async () => {
    expect(await run('return 6 * 7')).toEqual({ did: 42 });
    expect(await run("return load('fs').existsSync(process.argv[1])")).toEqual({ did: true });
  });

  it('finds an empty environment', async () => {
    expect(await run('return process.env')).toEqual({ did: {} });
    const { did } = (await run('return JSON.stringify(process.report.getReport())')) as { did: string };
    expect(did).not.toContain('do not tell');
  });

  it.each([
    ['a file of the system', "return load('fs').readFileSync('/etc/passwd', 'utf8')"],
    ['the store', "return load('fs').readFileSync(DATA + '/secret', 'utf8')"],
    ['the store, by a promise', "return load('fs').promises.readFile(DATA + '/secret', 'utf8')"],
    [
      'the store, by a stream',
      "for await (const piece of load('fs').createReadStream(DATA + '/secret')) return piece",
    ],
    [
      'the store, by a way around',
      "return load('fs').readFileSync(process.argv[1] + '/../../../../../../../../../../../..' + DATA + '/secret', 'utf8')",
    ],
    [
      'the store, as a database',
      "const { DatabaseSync } = load('node:sqlite'); new DatabaseSync(DATA + '/secret')",
    ],
    ['the store, as settings', "process.loadEnvFile(DATA + '/secret')"],
    ['the store, as a module', "load('module').createRequire(DATA + '/x.js')(DATA + '/secret')"],
    ['the store, as a blob', "return (await load('fs').openAsBlob(DATA + '/secret')).text()"],
    ['the size of the store', "return load('fs').statSync(DATA + '/secret').size"],
    ['changes of the store', "load('fs').watch(DATA)"],
    ['the names in a folder', 'return load("fs").readdirSync(DATA)'],
    ["the server's environment", "return load('fs').readFileSync('/proc/' + PARENT + '/environ', 'utf8')"],
    ['its own first environment', "return load('fs').readFileSync('/proc/self/environ', 'utf8')"],
  ])('cannot read %s', async (_, code) => {
    expect(await run(code)).toEqual(DENIED);
  });

  it.each([
    ['a file', "load('fs').writeFileSync(DATA + '/new', 'x')"],
    ['over its own code', "load('fs').appendFileSync(process.argv[1], '//')"],
    ['a link', "load('fs').symlinkSync('/etc', DATA + '/new')"],
    ['a database', "const { DatabaseSync } = load('node:sqlite'); new DatabaseSync(DATA + '/new')"],
    ['a folder', "load('fs').mkdtempSync(DATA + '/new')"],
    ['a trace', "load('trace_events').createTracing({ categories: ['v8'] }).enable()"],
    ['a report', "process.report.writeReport(DATA + '/new')"],
    ['a snapshot of its heap', "load('v8').writeHeapSnapshot(DATA + '/new')"],
  ])('cannot write %s', async (_, code) => {
    const before = readdirSync(dataDir);
    expect(await run(code)).toEqual(DENIED);
    expect(readdirSync(dataDir)).toEqual(before);
  });

  it.each([
    ['a process', "return load('child_process').execFileSync('id').toString()"],
    ['a process, in its own place', "process.execve('/bin/sh', ['sh'], {})"],
    ['a thread', "new (load('worker_threads').Worker)('1', { eval: true })"],
    ['a cluster', "load('cluster').fork()"],
    ['a debugger', "load('inspector').open(0)"],
    ['a debugger of itself', "new (load('inspector').Session)().connect()"],
    ['the bindings of Node', "return Object.keys(process.binding('tcp_wrap'))"],
    ['native code', "process.dlopen({ exports: {} }, DATA + '/new.node')"],
    ['native code of cryptography', "load('crypto').setEngine(DATA + '/new.so')"],
    ['WebAssembly with a system', "new (load('wasi').WASI)({ version: 'preview1' })"],
  ])('cannot start %s', async (_, code) => {
    expect(await run(code)).toEqual(DENIED);
  });

  it.each([
    ['the server', 'process.kill(PARENT, 0)'],
    ['the server, by the function below', 'process._kill(PARENT, 0)'],
    ['the debugger of the server', 'process._debugProcess(PARENT)'],
    ['the priority of the server', "load('os').setPriority(PARENT, 19)"],
  ])('cannot touch %s', async (_, code) => {
    expect(await run(code)).toEqual(DENIED);
  });

  it.each([
    ['a socket', "await connected(load('net').connect(PORT, '127.0.0.1'))"],
    [
      'a socket of a class',
      "const { Socket } = load('net'); await connected(new Socket().connect(PORT, '127.0.0.1'))",
    ],
    ['a socket by its path', "await connected(load('net').connect(DATA + '/socket'))"],
    [
      'a socket from an import',
      "const { connect } = await import('node:net'); await connected(connect(PORT, '127.0.0.1'))",
    ],
    ['TLS', "await connected(load('tls').connect(PORT, '127.0.0.1'))"],
    ['HTTP', "await connected(load('http').get('http://127.0.0.1:' + PORT))"],
    ['HTTPS', "await connected(load('https').get('https://127.0.0.1:' + PORT))"],
    ['HTTP/2', "await connected(load('http2').connect('http://127.0.0.1:' + PORT))"],
    ['fetch', "await fetch('http://127.0.0.1:' + PORT)"],
    ['a socket that listens', "load('net').createServer().listen(0)"],
    [
      'a socket that listens, from within',
      "load('net').Server.prototype._listen2.call(new (load('net').Server)(), '127.0.0.1', 0, 4, 1)",
    ],
    ['a handle', "load('net')._createServerHandle('127.0.0.1', 0, 4)"],
    [
      'a pipe by its path',
      "const { constructor } = process.stdout._handle; new constructor(0).connect({}, DATA + '/socket')",
    ],
    ['datagrams', "load('dgram').createSocket('udp4').send('x', PORT, '127.0.0.1')"],
    [
      'datagrams of a class',
      "const { Socket } = load('dgram'); new Socket('udp4').send('x', PORT, '127.0.0.1')",
    ],
    ['a name', "await load('dns').promises.lookup('localhost')"],
    ['a name server', "await load('dns').promises.resolve('example.test')"],
    [
      'a name server of its choice',
      "const { Resolver } = load('dns'); const own = new Resolver(); own.setServers(['127.0.0.1:' + PORT]); own.resolve4('a.test', () => {})",
    ],
  ])('cannot reach the network by %s', async (_, code) => {
    const connected = `const connected = (it) => new Promise((done, fail) => it.on('connect', () => done('connected')).on('error', fail));`;
    expect(await run(`${connected} ${code}`)).toEqual(DENIED);
    expect(visits).toBe(0);
  });

  it('cannot take any of it back', async () => {
    const takeBack = "Object.defineProperty(load('net').Socket.prototype, 'connect', { value: () => 1 })";
    expect(await run(takeBack)).toEqual({ refused: 'Cannot redefine property: connect' });
    expect(await run("return delete load('net').Socket.prototype.connect")).toEqual({ did: false });
  });
});
