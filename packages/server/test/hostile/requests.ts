// Requests that are hostile by themselves: framing, paths, bodies, payments.
import { form, paragraphs } from '../http/fake-service.ts';
import { sent, head, json, MIB, raw, type Row, type Shot, type Target } from './attack.ts';

const KIB = 1024;
const post = (...headers: string[]): string =>
  head('POST /chunk', 'Content-Type: application/json', 'Connection: close', ...headers);
const BODY = '{"tier":"free","text":"Text."}';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=b';
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText';

const framing: Row[] = [
  [
    'a chunked body behind a space',
    raw(head('POST /chunk', 'Transfer-Encoding : chunked')),
    '400 invalid_http',
  ],
  ['chunked twice', raw(post('Transfer-Encoding: chunked, chunked'), '0\r\n\r\n'), '400 invalid_http'],
  ['chunked, and then something else', raw(post('Transfer-Encoding: chunked, identity')), '400 invalid_http'],
  ['another transfer coding', raw(post('Transfer-Encoding: xchunked')), '400 invalid_http'],
  ['a chunk size below zero', raw(post('Transfer-Encoding: chunked'), '-5\r\nhello\r\n'), '400 invalid_http'],
  [
    'a chunk size of 2^64',
    raw(post('Transfer-Encoding: chunked'), '10000000000000000\r\n'),
    '400 invalid_http',
  ],
  [
    'a chunk longer than it says',
    raw(post('Transfer-Encoding: chunked'), '3\r\nhello\r\n0\r\n\r\n'),
    '400 invalid_http',
  ],
  [
    '20 KiB of chunk extensions',
    raw(post('Transfer-Encoding: chunked'), `5;${'x'.repeat(20 * KIB)}\r\nhello\r\n0\r\n\r\n`),
    '400 invalid_http',
  ],
  [
    '20 KiB of trailers',
    raw(
      post('Transfer-Encoding: chunked'),
      `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\nX: ${'x'.repeat(20 * KIB)}\r\n\r\n`,
    ),
    '431 headers_too_large',
  ],
  [
    'a chunked body that is cut off',
    { bytes: [post('Transfer-Encoding: chunked'), '5\r\n{"te'], halfClose: true },
    '400 invalid_http',
  ],
  ['a length with a sign', raw(post('Content-Length: +30'), BODY), '400 invalid_http'],
  ['a length in hexadecimal', raw(post('Content-Length: 0x1e'), BODY), '400 invalid_http'],
  ['a length of two values', raw(post('Content-Length: 30, 31'), BODY), '400 invalid_http'],
  ['a length of 2^64', raw(post('Content-Length: 18446744073709551616'), BODY), '400 invalid_http'],
  [
    'a length of 10 GB',
    { bytes: [post('Content-Length: 10000000000'), BODY], halfClose: true },
    '413 too_large',
  ],
  [
    'two Hosts',
    raw('GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'),
    '400 invalid_http',
  ],
  ['HTTP/1.0 without a Host', raw('GET /health HTTP/1.0\r\n\r\n'), '200'],
  ['HTTP/2 in clear', raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), '400 invalid_http'],
  ['HTTP/3.0', raw('GET /health HTTP/3.0\r\nHost: a\r\n\r\n'), '400 invalid_http'],
  ['TLS', raw(Buffer.from('16030100a5010000a10303', 'hex')), '400 invalid_http'],
  ['line ends alone', raw('GET /health HTTP/1.1\nHost: a\n\n'), '400 invalid_http'],
  ['a bare carriage return', raw('GET /health HTTP/1.1\r\nHost: a\rX: 1\r\n\r\n'), '400 invalid_http'],
  ['a header without a name', raw('GET /health HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'), '400 invalid_http'],
  [
    'a header name with a comma',
    raw('GET /health HTTP/1.1\r\nHost: a\r\na,b: x\r\n\r\n'),
    '400 invalid_http',
  ],
  ['a tab in the path', raw('GET /hea\tlth HTTP/1.1\r\nHost: a\r\n\r\n'), '400 invalid_http'],
  ['no path at all', raw('GET HTTP/1.1\r\nHost: a\r\n\r\n'), '400 invalid_http'],
  ['a path that is no path', raw(head('GET health', 'Connection: close')), '400 invalid_http'],
  ['an asterisk for GET', raw(head('GET *', 'Connection: close')), '404 not_found'],
  ['OPTIONS *', raw(head('OPTIONS *', 'Connection: close')), '204 '],
  ['another scheme in the target', raw(head('GET file:///etc/passwd', 'Connection: close')), '404 not_found'],
  ['CONNECT', raw('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'), 'closed'],
  ['nothing but half a request', { bytes: ['GET /hea'], halfClose: true }, '400 invalid_http'],
  [
    'more behind a request that is the last on its connection',
    // Which is answered, and nothing else.
    raw(post(`Content-Length: ${BODY.length}`) + BODY + head('GET /admin')),
    '200',
  ],
  ['a GET with a body', raw(head('GET /health', 'Content-Length: 5', 'Connection: close'), 'hello'), '200'],
  [
    'an early body that waits for 100 Continue',
    raw(post('Expect: 100-continue', `Content-Length: ${BODY.length}`), BODY),
    '200',
  ],
  [
    'a form that ends in its file',
    { bytes: [head('POST /chunk/demo', MULTIPART, 'Content-Length: 5000'), PART], halfClose: true },
    '400 invalid_http',
  ],
];

const routes: Row[] = [
  ...[
    'PUT /chunk',
    'PATCH /chunk',
    'DELETE /chunk',
    'GET /chunk',
    'GET /chunk/demo',
    'DELETE /chunk/free',
    'POST /',
    'POST /health',
    'DELETE /ready',
    'PUT /openapi.json',
    'POST /results/free_0123456789ab',
    'POST /job/ai-pro_0123456789ab/status',
    'PUT /job/ai-pro_0123456789ab/result',
    'GET /payment/send',
  ].map((line): Row => [line, sent(line), '405 method_not_allowed']),
  ...[
    '/.env',
    '/../../etc/passwd',
    '/results/..%2f..%2fetc/x',
    '/%2e%2e/',
    '/admin',
    '/metrics',
    '/openapi.yaml',
    '/openapiXjson',
    '/results/',
    '/results/a/b',
    '/chunk/demo/x',
    '/;/health',
    '/\\health',
    '/health?/../',
    '/?x'.slice(0, 1) + 'x'.repeat(14_000),
  ].map((path): Row => [
    `GET ${path.slice(0, 40)}`,
    raw(head(`GET ${path}`, 'Connection: close')),
    path.startsWith('/health?') ? '200' : '404 not_found',
  ]),
];

const bodies: Row[] = [
  ['a byte order mark', sent('POST /chunk', { body: `\uFEFF${BODY}` }), '200'],
  [
    'a text of 5 MB and a byte',
    sent('POST /chunk', json({ tier: 'free', text: 'x'.repeat(5 * MIB) })),
    '413 too_large',
  ],
  [
    'a text of one letter, 5 MB of it',
    sent('POST /chunk', json({ tier: 'free', text: 'x'.repeat(5 * MIB - 100) })),
    '200',
  ],
  [
    'chunks of 10 characters of 200 kB',
    sent('POST /chunk', json({ tier: 'free', text: 'word '.repeat(40_000), chunk_size: 10 })),
    '200',
  ],
  [
    'an overlap that makes 900 MB of 100 kB',
    sent(
      'POST /chunk',
      json({ tier: 'free', text: 'x'.repeat(100 * KIB), chunk_size: 10_000, chunk_overlap: 9_999 }),
    ),
    '400 invalid_options',
  ],
  [
    'a number with 100,000 digits',
    sent('POST /chunk', { body: `{"tier":"free","text":"x","chunk_size":${'9'.repeat(100_000)}}` }),
    '400 invalid_fields',
  ],
  ['a name of 1 MB', sent('POST /chunk', { body: `{"${'x'.repeat(MIB)}":1}` }), '400 invalid_fields'],
  [
    'a document id of a wild length',
    sent('POST /chunk', json({ tier: 'free', text: 'x', document_id: 'x'.repeat(MIB) })),
    '400 invalid_fields',
  ],
  [
    'control characters in a name',
    sent('POST /chunk', json({ tier: 'free', text: 'x', document_id: 'a\u0000b' })),
    '400 invalid_fields',
  ],
  [
    'a regular expression for a collection',
    sent('POST /chunk', json({ tier: 'free', text: 'x', output_format: 'weaviate', collection: '(a+)+$' })),
    '400 invalid_fields',
  ],
  [
    'markup in a file name',
    sent('POST /chunk', json({ tier: 'free', text: 'x', filename: '<script>alert(1)</script>' })),
    '200',
  ],
  [
    'a way up in a file name',
    sent('POST /chunk', json({ tier: 'free', text: 'x', filename: '../../../../etc/passwd' })),
    '200',
  ],
  ['an unknown model tier', sent('POST /chunk', json({ tier: 'gpt', text: 'x' })), '400 invalid_fields'],
];

const paying =
  (proof: (proofs: Target['proofs']) => string, content = 'Text.', tier = 'structure') =>
  ({ proofs }: Target): Shot =>
    sent(`POST /chunk/${tier}`, { body: form(content), headers: { 'x-payment': proof(proofs) } });
const known =
  (name: string) =>
  (proofs: Target['proofs']): string =>
    proofs[name] ?? '';

const payments: Row[] = [
  ['no payment', sent('POST /chunk/structure', { body: form('Text.') }), '402 payment_required'],
  ['an empty payment', paying(() => ''), '402 payment_malformed'],
  ['a payment of bad base58', paying(() => '0OIl'.repeat(22)), '402 payment_malformed'],
  ['a short payment', paying(() => '5'.repeat(40)), '402 payment_malformed'],
  ['a payment of 10 kB', paying(() => '5'.repeat(10_000)), '402 payment_malformed'],
  ['JSON in base64 that is no payment', paying(() => btoa('{"x402Version":1}')), '402 payment_malformed'],
  ['deep JSON in base64', paying(() => btoa('['.repeat(5000))), '402 payment_malformed'],
  ['an invented payment', paying(known('unknown')), '402 payment_not_found'],
  ['a failed transaction', paying(known('failed')), '402 transaction_failed'],
  ['one unit too little', paying(known('short')), '402 amount_too_low'],
  ['a payment of nothing', paying(known('nothing')), '402 amount_too_low'],
  ['the price of a cheaper tier', paying(known('cheap'), 'Text.', 'semantic'), '402 amount_too_low'],
  ['a payment of yesterday', paying(known('old')), '402 payment_too_old'],
  ['a payment for another request', paying(known('bound')), '402 bound_to_another_request'],
  ['a good payment', paying(known('good')), '200'],
  ['the same again', paying(known('good')), '200'],
  ['the same for another document', paying(known('good'), 'Another text.'), '402 payment_already_used'],
  ['the same for another tier', paying(known('good'), 'Text.', 'semantic'), '402 payment_already_used'],
  [
    'two payments in one request',
    ({ proofs }) =>
      raw(
        head(
          'POST /chunk/structure',
          MULTIPART,
          'Connection: close',
          `X-PAYMENT: ${proofs['good'] ?? ''}`,
          `X-PAYMENT: ${proofs['spent'] ?? ''}`,
          `Content-Length: ${PART.length + 9}`,
        ),
        `${PART}\r\n--b--\r\n`,
      ),
    '402 payment_malformed',
  ],
  ['a payment on the free tier', paying(known('unknown'), 'Text.', 'demo'), '200'],
  ['a tier that is not there', sent('POST /chunk/ai-pro', { body: form('x') }), '503 tier_unavailable'],
  [
    'a transfer for a free tier',
    sent('POST /payment/transaction', json({ payer: 'x', tier: 'free' })),
    '400 invalid_fields',
  ],
  [
    'a transfer of nonsense',
    sent('POST /payment/transaction', json({ payer: ['x'], tier: '__proto__', memo: 5 })),
    '400 invalid_fields',
  ],
  [
    'a transaction that is too long',
    sent('POST /payment/send', json({ transaction: 'A'.repeat(5000) })),
    '400 invalid_fields',
  ],
  [
    'a transaction of 9 kB',
    sent('POST /payment/send', json({ transaction: 'A'.repeat(9000) })),
    '413 too_large',
  ],
];

const uploads: Row[] = [
  ['a file of 51 MB', sent('POST /chunk/demo', { body: form('x'.repeat(51 * MIB)) }), '413 too_large'],
  [
    '100 MB that never end',
    sent('POST /chunk/demo', { body: form(new Uint8Array(100_000_000)) }),
    '413 too_large',
  ],
  [
    'a PDF of 100 results',
    sent('POST /chunk/demo', { body: form(paragraphs(200), 'a.txt', { chunk_size: '100' }) }),
    '200',
  ],
];

const estimates: Row[] = [
  ['a file of 51 MB', sent('POST /estimate', { body: form('x'.repeat(51 * MIB)) }), '413 too_large'],
  ['a text of 6 MB', sent('POST /estimate', json({ text: 'a'.repeat(6 * MIB) })), '413 too_large'],
  ['options of no tier', sent('POST /estimate', json({ text: 'a', __proto__x: 1 })), '400 invalid_fields'],
  ['an unknown tier', sent('POST /estimate', json({ text: 'a', tier: 'constructor' })), '400 invalid_fields'],
  ['a query', sent('POST /estimate?tier=free', json({ text: 'a' })), '400 invalid_fields'],
  ['a link into this machine', sent('POST /estimate', json({ url: 'http://127.0.0.1:1/' })), '200'],
];

const tools: Row[] = [
  [
    'a Host of another site',
    sent('POST /mcp', { ...json({}), headers: { origin: 'https://evil.example' } }),
    '403 forbidden_origin',
  ],
  ['a message of 2 MB', sent('POST /mcp', json({ text: 'a'.repeat(2 * MIB) })), '413 too_large'],
  ['10,000 arrays in one another', sent('POST /mcp', { body: '['.repeat(10_000) }), '400 invalid_json'],
  ['a form', sent('POST /mcp', { body: form('Text.') }), '415 unsupported_media_type'],
  ['a GET', sent('GET /mcp'), '405 method_not_allowed'],
  ['an unknown job', tool('job_status', { job_id: 'ai-pro_ffffffffffff' }), '200'],
  ['a path as an id', tool('read_chunks', { result_id: '../../etc/passwd' }), '200'],
  ['a payment that is none', tool('chunk_text', { text: 'a', tier: 'structure' }, { x402Version: 2 }), '200'],
  ['a payment of 20 kB', tool('chunk_text', { text: 'a', tier: 'structure' }, 'A'.repeat(20_000)), '200'],
];

function tool(name: string, given: object, payment?: unknown): Shot {
  const params = { name, arguments: given, _meta: payment === undefined ? {} : { 'x402/payment': payment } };
  const headers = { accept: 'application/json, text/event-stream' };
  return sent('POST /mcp', { ...json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), headers });
}

const quotations: Row[] = [
  ['an unknown id', cite({ result_id: 'free_ffffffffffff', quote: 'its words' }), '404 result_not_found'],
  ['a path as an id', cite({ result_id: '../../etc/passwd', quote: 'its words' }), '404 result_not_found'],
  ['SQL as an id', cite({ result_id: "free_' OR ''='", quote: 'its words' }), '404 result_not_found'],
  ['an id that is no text', cite({ result_id: { $ne: '' }, quote: 'its words' }), '400 invalid_fields'],
  ['a quotation too long', cite({ result_id: 'a', quote: 'a'.repeat(2001) }), '400 invalid_fields'],
  ['a quotation of 5 MB', cite({ result_id: 'a', quote: 'a'.repeat(5 * MIB) }), '413 too_large'],
  ['half a character', cite({ result_id: 'a', quote: '\ud83d' }), '400 invalid_fields'],
  ['a bound below zero', cite({ result_id: 'a', quote: 'a', bound: -1 }), '400 invalid_fields'],
  ['a form', sent('POST /cite', { body: form('Text.') }), '415 unsupported_media_type'],
  ['a GET', sent('GET /cite'), '405 method_not_allowed'],
];

function cite(fields: object): Shot {
  return sent('POST /cite', json(fields));
}

export const REQUESTS = { framing, routes, JSON: bodies, payments, uploads, estimates, tools, quotations };
