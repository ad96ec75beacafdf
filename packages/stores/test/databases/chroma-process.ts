// Chroma for real: the server of its npm package, in a process of its own that ends with this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { load, temporaryFolder } from './peers.ts';

interface ChromaModule {
  readonly ChromaClient: new (options: object) => ChromaAdmin;
}
/** The client of a started server. */
export interface ChromaAdmin {
  heartbeat(): Promise<number>;
  createCollection(options: object): Promise<unknown>;
}

/** Starts the server on an empty folder. */
export async function startChroma(): Promise<{
  port: number;
  client: ChromaAdmin;
  folder: string;
  close: () => Promise<void>;
}> {
  const { folder, remove } = temporaryFolder();
  const port = await freePort();
  const script = fileURLToPath(new URL('../../../core/test/stores/chroma-server.mjs', import.meta.url));
  const server: ChildProcess = spawn(
    process.execPath,
    [script, '--path', folder, '--port', String(port), '--host', '127.0.0.1'],
    { stdio: ['pipe', 'ignore', 'ignore'], env: { ...process.env, ANONYMIZED_TELEMETRY: 'FALSE' } },
  );
  const { ChromaClient } = (await load('chromadb')) as ChromaModule;
  const client = new ChromaClient({ host: '127.0.0.1', port, ssl: false });
  // Each attempt is a connection of its own, and the suite's hook bounds them.
  while (server.exitCode === null && !(await client.heartbeat().then(Boolean, () => false)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    port,
    client,
    folder,
    close: async () => {
      server.stdin?.end();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      remove();
    },
  };
}

async function freePort(): Promise<number> {
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}
