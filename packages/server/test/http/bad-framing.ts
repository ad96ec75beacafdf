// Bytes that are no request, or none that is taken: title, bytes, status, code.

export type Framing = readonly [title: string, bytes: string, status: number, code: string];

const body = '{"tier":"free","text":"Text."}';
export const FRAMING: readonly Framing[] = [
  ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 400, 'invalid_http'],
  ['two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'invalid_http'],
  [
    'length and chunked together',
    `POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'invalid_http',
  ],
  [
    'a coding besides chunked',
    `POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1e\r\n${body}\r\n0\r\n\r\n`,
    400,
    'invalid_http',
  ],
  [
    'two lengths',
    `POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`,
    400,
    'invalid_http',
  ],
  [
    'a length below zero',
    'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    400,
    'invalid_http',
  ],
  [
    'a bad chunk size',
    'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    400,
    'invalid_http',
  ],
  ['a NUL in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400, 'invalid_http'],
  ['a folded header', 'GET /health HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 400, 'invalid_http'],
  ['a space before the colon', 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n', 400, 'invalid_http'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 400, 'invalid_http'],
  ['an unknown method', 'FROB /health HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_http'],
  [
    '20 KiB of headers',
    `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20 * 1024)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  [
    '5000 headers',
    `GET /health HTTP/1.1\r\nHost: a\r\n${'X: 1\r\n'.repeat(5000)}\r\n`,
    431,
    'headers_too_large',
  ],
  ['a path of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
];
