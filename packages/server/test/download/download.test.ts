// Downloads from real servers on loopback, which FETCH_ALLOW permits, with one test for each way to fail.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type Address, type Lookup } from '../../src/requests/download/connect.ts';
import {
  createDownloader,
  type DownloadedDocument,
  type Downloader,
  type DownloadPorts,
  type DownloadSettings,
} from '../../src/requests/download/index.ts';

const MIB = 1024 * 1024;
const TEXT = 'The tide turns twice a day. '.repeat(400);
const none = new AbortController().signal;

/** Resources that a test opens; closed after each test. */
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

function downloaderFor(settings: Partial<DownloadSettings> = {}, ports: DownloadPorts = {}): Downloader {
  const downloader = createDownloader(
    { fetchAllow: [], fetchTimeoutMs: 10_000, fetchMaxBytes: MIB, fetchMaxRedirects: 5, ...settings },
    ports,
  );
  open.push(() => downloader.close());
  return downloader;
}

/** A server on loopback with its `host:port` and its number of connections. */
async function serve(
  answer: RequestListener,
): Promise<{ address: string; url: string; connections: () => number }> {
  const server = createServer(answer);
  const { port } = await listen(server);
  return {
    address: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    connections: countConnections(server),
  };
}

/** The same for a server with broken HTTP. */
async function serveSocket(talk: (socket: Socket) => void): Promise<{ address: string; url: string }> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => talk(socket));
  });
  const { port } = await listen(server);
  return { address: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/file.txt` };
}

async function listen(server: Server | SocketServer): Promise<AddressInfo> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => server.close(closed));
  });
  return server.address() as AddressInfo;
}

function countConnections(server: Server): () => number {
  let count = 0;
  server.on('connection', () => count++);
  return () => count;
}

/** Serves one answer and downloads it. */
async function fetchFrom(
  answer: RequestListener,
  settings: Partial<DownloadSettings> = {},
  path = '/file.txt',
  ports: DownloadPorts = {},
): Promise<DownloadedDocument> {
  const { address, url } = await serve(answer);
  return downloaderFor({ fetchAllow: [address], ...settings }, ports).download(url + path, none);
}

const textOf = ({ bytes }: DownloadedDocument): string => Buffer.from(bytes).toString();
const reply =
  (headers: Record<string, string>, body: Uint8Array | string, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const failsWith = (promise: Promise<unknown>, code: string, message = /./) =>
  expect(promise).rejects.toMatchObject({
    name: 'DownloadError',
    code,
    message: expect.stringMatching(message) as string,
  });

describe('a download', () => {
  it('brings the bytes, the name, the content type with its charset, and the address', async () => {
    const { address, url } = await serve(
      reply({ 'content-type': 'text/plain; charset=koi8-r' }, Buffer.from([0xf0, 0xd2, 0xc9])),
    );
    const downloaded = await downloaderFor({ fetchAllow: [address] }).download(
      `${url}/docs/report%20%C3%A9.txt?x=1#top`,
      none,
    );
    expect({ ...downloaded, bytes: [...downloaded.bytes] }).toEqual({
      bytes: [0xf0, 0xd2, 0xc9],
      filename: 'report é.txt',
      contentType: 'text/plain; charset=koi8-r',
      url: `${url}/docs/report%20%C3%A9.txt?x=1#top`,
    });
  });

  it('has no content type when the host names none', async () => {
    expect((await fetchFrom(reply({}, TEXT))).contentType).toBeUndefined();
  });

  it('sends no credentials, no cookies and no referrer', async () => {
    let headers: IncomingMessage['headers'] = {};
    await fetchFrom((request, response) => {
      headers = request.headers;
      response.end(TEXT);
    });
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('pays no attention to proxies of the environment', async () => {
    const proxy = await serve(reply({}, 'from the proxy'));
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      expect(textOf(await fetchFrom(reply({}, TEXT)))).toBe(TEXT);
    } finally {
      process.env = before;
    }
    expect(proxy.connections()).toBe(0);
  });

  it.each([
    ['gzip', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['identity', Buffer.from(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['GZIP', gzipSync(TEXT)],
  ])('undoes the coding %s', async (coding, body) => {
    expect(textOf(await fetchFrom(reply({ 'content-encoding': coding }, body)))).toBe(TEXT);
  });

  it('brings an empty document, coded or not', async () => {
    expect((await fetchFrom(reply({}, ''))).bytes).toHaveLength(0);
    expect((await fetchFrom(reply({ 'content-encoding': 'gzip' }, ''))).bytes).toHaveLength(0);
  });

  it.each([
    ['/a/b/report.pdf', 'report.pdf'],
    ['/report.pdf?version=2', 'report.pdf'],
    ['/', '127.0.0.1'],
    ['/a/', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['/a/%2e%2e%2fetc%2fpasswd', 'passwd'],
    ['/c%3A%5Cfiles%5Creport.docx', 'report.docx'],
    ['/%E0%A4%A', '%E0%A4%A'],
    ['/a%00b%0Ac.txt', 'abc.txt'],
    ['/%2e%2e%2f', '127.0.0.1'],
    [`/${'x'.repeat(500)}`, 'x'.repeat(200)],
    // A shortened name keeps its ending. A character that turns the writing direction would display another ending.
    [`/${'x'.repeat(500)}.pdf`, `${'x'.repeat(196)}.pdf`],
    ['/report%E2%80%AEfdp.exe', 'reportfdp.exe'],
  ])('of %s is called %s', async (path, name) => {
    expect((await fetchFrom(reply({}, TEXT), {}, path)).filename).toBe(name);
  });

  it('rejects with the reason of its signal, before and while it runs', async () => {
    const reason = new Error('the client is gone');
    await expect(downloaderFor().download('http://example.com/', AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
    const gone = new AbortController();
    const { address, url } = await serve((_, response) => {
      response.write('beginning');
      gone.abort(reason);
    });
    await expect(downloaderFor({ fetchAllow: [address] }).download(url, gone.signal)).rejects.toBe(reason);
  });

  it('is broken off when the downloader is closed', async () => {
    const arrived = Promise.withResolvers<undefined>();
    const { address, url } = await serve(() => arrived.resolve(undefined));
    const downloader = downloaderFor({ fetchAllow: [address] });
    const running = downloader.download(url, none);
    const rejected = failsWith(running, 'url_interrupted');
    await arrived.promise;
    await downloader.close();
    await rejected;
  });
});

describe('redirects', () => {
  /** Sends `/n` to `/n-1`, and answers `/0`. */
  const countdown: RequestListener = (request, response) => {
    const count = Number(request.url?.slice(1));
    if (count === 0) response.end(TEXT);
    else
      response.writeHead([301, 302, 303, 307, 308][count % 5]!, { location: `/${count - 1}` }).end('moved');
  };

  it('are followed to the document, which keeps the name of the link', async () => {
    const { address, url } = await serve(countdown);
    const downloaded = await downloaderFor({ fetchAllow: [address] }).download(`${url}/3`, none);
    expect(textOf(downloaded)).toBe(TEXT);
    expect(downloaded.filename).toBe('3');
    expect(downloaded.url).toBe(`${url}/0`);
  });

  it('are followed exactly as often as is set', async () => {
    expect(textOf(await fetchFrom(countdown, {}, '/5'))).toBe(TEXT);
    await failsWith(fetchFrom(countdown, {}, '/6'), 'url_redirects', /more than 5 times/);
    await failsWith(fetchFrom(countdown, { fetchMaxRedirects: 0 }, '/1'), 'url_redirects');
    expect(textOf(await fetchFrom(countdown, { fetchMaxRedirects: 0 }, '/0'))).toBe(TEXT);
  });

  it('without a target are no documents', async () => {
    await failsWith(fetchFrom(reply({}, TEXT, 302)), 'url_status', /302/);
    await failsWith(fetchFrom(reply({ location: '/x' }, TEXT, 304)), 'url_status', /304/);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/x',
    'data:text/plain,x',
    'javascript:1',
    'http://user:secret@example.com/',
    'http://',
  ])('to %s are refused', async (location) => {
    await failsWith(fetchFrom(reply({ location }, '', 302)), 'url_invalid', /redirects to/);
  });

  it('to a private place are refused without a connection, in every spelling', async () => {
    const inside = await serve(reply({}, 'secret'));
    const port = inside.address.split(':')[1]!;
    const outside = await serve((request, response) => {
      // Headers are bytes; a browser reads these as UTF-8.
      const location = Buffer.from(decodeURIComponent(request.url!.slice(2))).toString('latin1');
      response.writeHead(302, { location }).end();
    });
    const downloader = downloaderFor({ fetchAllow: [outside.address] });
    for (const host of PRIVATE_HOSTS) {
      for (const target of [`http://${host}:${port}/`, `http://${host}:8080/`, `//${host}/`]) {
        const link = `${outside.url}/?${encodeURIComponent(target)}`;
        await failsWith(downloader.download(link, none), 'url_forbidden', /redirects to/);
      }
    }
    expect(inside.connections()).toBe(0);
  });

  it('drop the body of the answer that redirects, however long', async () => {
    const endless: RequestListener = (request, response) => {
      if (request.url === '/0') return void response.end(TEXT);
      response.writeHead(302, { location: '/0' });
      void pour(response);
    };
    expect(textOf(await fetchFrom(endless, {}, '/1'))).toBe(TEXT);
  });
});

/** Spellings of private hosts in a URL. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
  '127.255.255.254',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '127.0.0.1.',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'sub.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[::ffff:0:7f00:1]',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '0xa83f8110',
  '[::ffff:168.63.129.16]',
  '100.64.0.1',
  '192.0.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '203.0.113.1',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[::2]',
  '[4000::1]',
  '[fe00::1]',
  'intranet',
  'printer.local',
  'db.internal',
  'metadata.google.internal',
  '1.0.0.127.in-addr.arpa',
  'router.home.arpa',
];

describe('a place that is not on the public internet', () => {
  it('is refused in every spelling without a connection or a lookup', async () => {
    expect(PRIVATE_HOSTS.length).toBeGreaterThanOrEqual(35);
    const inside = await serve(reply({}, 'secret'));
    const lookups: string[] = [];
    const lookup: Lookup = (host) => {
      lookups.push(host);
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    };
    const downloader = downloaderFor({}, { lookup });
    for (const host of PRIVATE_HOSTS) {
      for (const port of [inside.address.split(':')[1]!, '80', '8080'])
        await failsWith(downloader.download(`http://${host}:${port}/`, none), 'url_forbidden');
      await failsWith(
        downloader.download(`HTTPS://${host}/`, none),
        'url_forbidden',
        /not on the public internet/,
      );
    }
    expect(lookups).toEqual([]);
    expect(inside.connections()).toBe(0);
  });

  it.each([
    ['127.0.0.1', 4],
    ['10.1.2.3', 4],
    ['169.254.169.254', 4],
    ['168.63.129.16', 4],
    ['::ffff:a83f:8110', 6],
    ['0.0.0.0', 4],
    ['::1', 6],
    ['::ffff:127.0.0.1', 6],
    ['::ffff:a00:1', 6],
    ['fd00::1', 6],
    ['fe80::1%eth0', 6],
    ['64:ff9b::a00:1', 6],
    ['nonsense', 4],
  ] as const)('is refused when a public name resolves to %s', async (address, family) => {
    const downloader = downloaderFor({}, { lookup: () => Promise.resolve([{ address, family }]) });
    const rejected = downloader.download('http://harmless.example.com:8080/', none);
    await failsWith(rejected, 'url_forbidden');
    await expect(rejected).rejects.not.toThrow(address);
  });

  it('is refused when only one of several addresses lies there', async () => {
    const addresses: Address[] = [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    await failsWith(
      downloaderFor({}, { lookup: () => Promise.resolve(addresses) }).download(
        'http://both.example.com/',
        none,
      ),
      'url_forbidden',
    );
  });

  it('is refused when a name resolves to it at the second lookup only', async () => {
    const inside = await serve(reply({}, 'secret'));
    // The first request goes to an allowed server. Its redirect leads to the same name on a forbidden port.
    const outside = await serve(reply({ location: 'http://rebinding.example.com:8080/' }, '', 302));
    const port = outside.address.split(':')[1]!;
    const answers: Address[] = [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const lookups: string[] = [];
    const lookup: Lookup = (host) => {
      lookups.push(host);
      return Promise.resolve([answers[lookups.length - 1]!]);
    };
    const downloader = downloaderFor({ fetchAllow: [`rebinding.example.com:${port}`] }, { lookup });
    await failsWith(downloader.download(`http://rebinding.example.com:${port}/`, none), 'url_forbidden');
    expect(lookups).toHaveLength(2);
    expect(outside.connections()).toBe(1);
    expect(inside.connections()).toBe(0);
  });

  it('is reached when it is on the list, by exactly that name and port', async () => {
    const inside = await serve(reply({}, TEXT));
    const port = inside.address.split(':')[1]!;
    const downloader = downloaderFor(
      { fetchAllow: [`wiki.internal:${port}`] },
      { lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
    );
    expect(textOf(await downloader.download(`http://wiki.internal:${port}/page`, none))).toBe(TEXT);
    await failsWith(downloader.download(`http://wiki.internal:${Number(port) + 1}/`, none), 'url_forbidden');
    await failsWith(downloader.download('http://wiki.internal/', none), 'url_forbidden');
    await failsWith(downloader.download(`http://127.0.0.1:${port}/`, none), 'url_forbidden');
    await failsWith(downloader.download(`http://sub.wiki.internal:${port}/`, none), 'url_forbidden');
    expect(inside.connections()).toBe(1);
  });
});

describe('a link', () => {
  it.each([
    '',
    'x',
    '/relative',
    '//example.com/',
    'http://',
    'https://[::1',
    'http://a b/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://x/',
    'data:text/plain,x',
    'blob:http://x/',
    'javascript:alert(1)',
    'http://user@example.com/',
    'http://:secret@example.com/',
    `http://example.com/${'x'.repeat(9000)}`,
  ])('such as %j is not one', async (link) => {
    await failsWith(downloaderFor().download(link, none), 'url_invalid', /http or https/);
  });

  it.each([22, 25, 81, 3306, 6379, 8081, 65_535])('to port %i is refused', async (port) => {
    await failsWith(
      downloaderFor().download(`http://example.com:${port}/`, none),
      'url_forbidden',
      /80, 443, 8080, 8443/,
    );
  });

  it('to a name that does not exist is unreachable', async () => {
    const lookup: Lookup = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    await failsWith(
      downloaderFor({}, { lookup }).download('http://nowhere.example.com/', none),
      'url_unreachable',
      /name cannot be resolved/,
    );
    await failsWith(
      downloaderFor({}, { lookup: () => Promise.resolve([]) }).download('http://nowhere.example.com/', none),
      'url_unreachable',
    );
  });

  it('to a closed port is unreachable', async () => {
    const { address, url } = await serve(() => undefined);
    await open.pop()!();
    await failsWith(
      downloaderFor({ fetchAllow: [address] }).download(url, none),
      'url_unreachable',
      /takes no connection/,
    );
  });
});

describe('an answer', () => {
  it.each([201, 204, 206, 400, 401, 403, 404, 410, 429, 500, 503])(
    'of status %i is refused by its number',
    async (status) => {
      const rejected = fetchFrom(reply({}, status === 204 ? '' : TEXT, status));
      await failsWith(rejected, 'url_status', new RegExp(String(status)));
      await expect(rejected).rejects.toMatchObject({ status });
    },
  );

  it('may be exactly as large as is set', async () => {
    const bytes = Buffer.alloc(1000, 'x');
    for (const headers of [{ 'content-length': '1000' }, {}] as Record<string, string>[]) {
      expect((await fetchFrom(reply(headers, bytes), { fetchMaxBytes: 1000 })).bytes).toHaveLength(1000);
      await failsWith(fetchFrom(reply(headers, bytes), { fetchMaxBytes: 999 }), 'url_too_large', /999 bytes/);
    }
  });

  it('that announces too much is refused before its body is read', async () => {
    const answered = Promise.withResolvers<ServerResponse>();
    await failsWith(
      fetchFrom((_, response) => {
        response.writeHead(200, { 'content-length': String(10_000 * MIB) });
        response.flushHeaders();
        answered.resolve(response);
      }),
      'url_too_large',
      /1 MiB/,
    );
    const { socket } = await answered.promise;
    if (socket !== null && !socket.destroyed) await once(socket, 'close');
  });

  it('without end is left at the limit, and the connection with it', async () => {
    let poured: Promise<number> | undefined;
    await failsWith(
      fetchFrom((_, response) => void (poured = pour(response))),
      'url_too_large',
    );
    // The buffers of two sockets add to the limit.
    expect(await poured).toBeLessThan(8 * MIB);
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(50 * MIB))],
    ['br', brotliCompressSync(Buffer.alloc(50 * MIB))],
    ['deflate', deflateSync(Buffer.alloc(50 * MIB))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(50 * MIB)))],
  ])('that unpacks to too much (%s) is left at the limit', async (coding, body) => {
    expect(body.length).toBeLessThan(MIB);
    await failsWith(fetchFrom(reply({ 'content-encoding': coding }, body)), 'url_too_large');
  });

  it('whose compressed bytes never unpack to anything is left at the limit', async () => {
    const nothing = gzipSync('');
    await failsWith(
      fetchFrom((_, response) => {
        response.setHeader('content-encoding', 'gzip');
        void pour(response, Buffer.concat(Array.from({ length: 4000 }, () => nothing)));
      }),
      'url_too_large',
    );
  });

  it.each([
    ['cut off', 'gzip', gzipSync(TEXT).subarray(0, 60)],
    ['cut off', 'br', brotliCompressSync(TEXT).subarray(0, 20)],
    ['not what it says', 'gzip', Buffer.from(TEXT)],
    ['not what it says', 'br', Buffer.from(TEXT)],
    ['not what it says', 'deflate', Buffer.from(TEXT)],
    ['in an unknown coding', 'zstd', Buffer.from(TEXT)],
    ['in an unknown coding', '__proto__', Buffer.from(TEXT)],
    ['coded too often', 'gzip, gzip, gzip', Buffer.from(TEXT)],
  ])('that is %s (%s) is refused', async (_, coding, body) => {
    await failsWith(fetchFrom(reply({ 'content-encoding': coding }, body)), 'url_interrupted');
  });

  it('that says nothing is left after the silence', async () => {
    const silent = () => undefined;
    await failsWith(
      fetchFrom(silent, {}, '/', { idleTimeoutMs: 100 }),
      'url_timeout',
      /nothing came for 0.1 s/,
    );
    await failsWith(
      fetchFrom((_, response) => void response.write('beginning'), {}, '/', { idleTimeoutMs: 100 }),
      'url_timeout',
      /nothing came/,
    );
  });

  it('that comes byte by byte is left when the time is over', async () => {
    const slow: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    await failsWith(fetchFrom(slow, { fetchTimeoutMs: 200 }), 'url_timeout', /more than 0.2 s/);
  });

  it('has its time with all its redirects together', async () => {
    const slow: RequestListener = (request, response) => {
      setTimeout(() => response.writeHead(302, { location: `${request.url!}x` }).end(), 60);
    };
    await failsWith(fetchFrom(slow, { fetchTimeoutMs: 200, fetchMaxRedirects: 20 }), 'url_timeout');
  });

  it.each([
    ['hangs up without a word', '', /connection ended/],
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', /not proper HTTP/],
    ['has endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`, /not proper HTTP/],
    [
      'is shorter than it announces',
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
      /connection ended/,
    ],
    [
      'breaks off between chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n',
      /connection ended/,
    ],
    [
      'has a chunk of no size',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      /not proper HTTP/,
    ],
  ])('that %s is interrupted', async (_, answer, message) => {
    const { address, url } = await serveSocket((socket) => void socket.end(answer));
    await failsWith(downloaderFor({ fetchAllow: [address] }).download(url, none), 'url_interrupted', message);
  });

  it('over TLS must have a certificate that holds', async () => {
    const { address } = await serveSocket((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await failsWith(
      downloaderFor({ fetchAllow: [address] }).download(`https://${address}/`, none),
      'url_unreachable',
      /secure connection/,
    );
  });
});

/** Writes until the other side closes. Returns the number of written bytes. */
async function pour(response: ServerResponse, piece = Buffer.alloc(64 * 1024, 'x')): Promise<number> {
  const closed = once(response, 'close');
  let bytes = 0;
  while (!response.destroyed) {
    bytes += piece.byteLength;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
  return bytes;
}
