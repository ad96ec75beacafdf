// A plain server of files, as static hosts are: no header but the kind of a file, and its index for a folder.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** A running host. */
export interface StaticHost {
  /** Address of the folder, with a slash at its end. */
  readonly url: string;
  /** Paths that were wanted for and are not there. */
  readonly missing: string[];
  close(): void;
}

/** Serves a folder below a path, `/` or one with a slash at both ends. */
export async function hostFiles(folder: string, below = '/'): Promise<StaticHost> {
  const missing: string[] = [];
  const server = createServer(({ url = '/' }, answer) => {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
    const wanted = join(folder, path.slice(below.length));
    const file = existsSync(wanted) && statSync(wanted).isDirectory() ? join(wanted, 'index.html') : wanted;
    if (!path.startsWith(below) || !existsSync(file)) {
      missing.push(path);
      return answer.writeHead(404).end();
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    return answer.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${below}`, missing, close: () => void server.close() };
}
