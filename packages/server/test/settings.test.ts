import { availableParallelism } from 'node:os';
import fc from 'fast-check';
import { READERS } from '@grainline/extract';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { isLoopback, readSettings, SETTINGS, settingsTable } from '../src/settings/settings.ts';
import type { Setting } from '../src/settings/parsers.ts';
import { issuesOf } from './settings-issues.ts';

const MIB = 1024 * 1024;
const ALL: readonly Setting<unknown>[] = Object.values(SETTINGS);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('settings', () => {
  it('have a default each, so that an empty environment is enough', () => {
    expect(readSettings({})).toEqual({
      aiProvider: 'openai',
      aiBaseUrl: undefined,
      aiApiKey: undefined,
      aiModel: [],
      aiPrice: undefined,
      aiMaxCostUsd: { ai: 0.008, 'ai-pro': 0.02 },
      aiTimeoutMs: 60_000,
      aiAtOnce: 4,
      ocr: 'off',
      ocrLanguages: 'eng',
      ocrMaxPages: 10,
      ocrJobPages: 200,
      host: '127.0.0.1',
      embeddings: 'builtin',
      embeddingsBaseUrl: undefined,
      embeddingsApiKey: undefined,
      embeddingsModel: undefined,
      embeddingsFolder: undefined,
      embeddingsDtype: undefined,
      port: 8402,
      metricsPort: undefined,
      publicUrl: undefined,
      dataDir: './data',
      databaseUrl: undefined,
      databaseConnections: 10,
      databaseMigrations: 'at-start',
      deployment: 'primary',
      logLevel: 'info',
      logFormat: 'auto',
      page: 'on',
      payments: 'on',
      payTo: undefined,
      network: 'solana-mainnet',
      usdcMint: undefined,
      solanaRpcUrls: [],
      rpcQuorum: 1,
      facilitatorUrl: undefined,
      facilitatorAuth: undefined,
      paymentWaitMs: 10_000,
      paymentMaxAgeS: 86_400,
      paymentBinding: 'offer',
      paymentsNotBefore: undefined,
      paymentLeaseMs: 30_000,
      deploymentId: 'primary',
      freePagesPerDay: 100,
      rateLimit: 60,
      maxUploadBytes: 50 * MIB,
      maxJsonBytes: 5 * MIB,
      maxAnswerBytes: 32 * MIB,
      maxStoredBytes: 1024 * MIB,
      maxPaidBytes: 4096 * MIB,
      uploadKinds: ['txt', 'pdf'],
      limitsLocal: true,
      fetchAllow: [],
      fetchTimeoutMs: 10_000,
      fetchMaxBytes: 50 * MIB,
      fetchMaxRedirects: 5,
      trustedProxies: [],
      maxInWork: 64,
      workTimeoutMs: 60_000,
      workers: Math.min(4, availableParallelism()),
      workerHeapMb: 512,
      workerRssMb: 768,
      jobConcurrency: 4,
      jobQueue: 1000,
      jobTimeoutMs: 1_800_000,
      shutdownMs: 25_000,
      drainMs: 5_000,
    });
  });

  it('that are empty or blank count as not set', () => {
    expect(readSettings(Object.fromEntries(ALL.map(({ name }) => [name, '  '])))).toEqual(readSettings({}));
  });

  it('are read as they are written', () => {
    expect(
      readSettings({
        HOST: '0.0.0.0',
        PORT: '0',
        PUBLIC_URL: 'https://chunks.example.com/api/',
        DATA_DIR: ' /srv/data ',
        DEPLOYMENT: 'compact',
        UPLOAD_KINDS: 'pdf, docx,pdf',
        FETCH_ALLOW: 'Wiki.Internal:8080, 10.0.0.1:80,[::1]:443',
        TRUSTED_PROXIES: '10.0.0.0/8,::1, 192.0.2.1',
        MAX_UPLOAD_BYTES: '1048577',
        MAX_STORED_BYTES: '2 GiB',
      }),
    ).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      publicUrl: 'https://chunks.example.com/api',
      dataDir: '/srv/data',
      deployment: 'compact',
      uploadKinds: ['pdf', 'docx'],
      fetchAllow: ['wiki.internal:8080', '10.0.0.1:80', '[::1]:443'],
      trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.1'],
      maxUploadBytes: 1_048_577,
      maxStoredBytes: 2048 * MIB,
    });
  });

  it('take all kinds of document for one word', () => {
    expect(readSettings({ UPLOAD_KINDS: 'all' }).uploadKinds).toEqual(READERS.map(({ kind }) => kind));
  });

  it('let OCR widen the kinds and the memory, unless these are set', () => {
    const OCR = 'tesseract';
    const kinds = (environment: Record<string, string>) => readSettings({ OCR, ...environment }).uploadKinds;
    expect(kinds({})).toEqual(['txt', 'pdf', 'image']);
    expect(kinds({ UPLOAD_KINDS: 'pdf' })).toEqual(['pdf']);
    const all = [...READERS.map(({ kind }) => kind), 'image'];
    expect(kinds({ UPLOAD_KINDS: 'all' })).toEqual(all);
    expect(kinds({ PAYMENTS: 'off' })).toEqual(all);
    expect(readSettings({ OCR }).workerRssMb).toBe(1536);
    expect(readSettings({ OCR, WORKER_RSS_MB: '1000' }).workerRssMb).toBe(1000);
    expect(issuesOf({ UPLOAD_KINDS: 'pdf,image' })).toEqual([
      'UPLOAD_KINDS may have image only with OCR=tesseract.',
    ]);
  });

  it('that are wrong are all named at once, with what was expected and what came', () => {
    const issues = issuesOf({
      PORT: '65536',
      DEPLOYMENT: 'second',
      MAX_JSON_BYTES: 'much',
      FETCH_ALLOW: 'host',
      WORKERS: '-1',
    });
    expect(issues).toEqual([
      'PORT must be an integer from 0 to 65535, but is "65536".',
      'DEPLOYMENT must be one of primary, compact, but is "second".',
      'MAX_JSON_BYTES must be a number of bytes from 1KiB to 256MiB, such as 1048576 or 1MiB, but is "much".',
      'FETCH_ALLOW must be a list of host:port, but is "host".',
      'WORKERS must be an integer from 1 to 256, but is "-1".',
    ]);
    expect(() => readSettings({ PORT: 'x', WORKERS: 'y' })).toThrow(/PORT[^]*WORKERS/);
  });

  it.each([
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['PORT', '0x50'],
    ['PORT', '-0'],
    ['PORT', '+80'],
    ['PORT', 'NaN'],
    ['PORT', '٨٠'],
    ['MAX_UPLOAD_BYTES', '0'],
    ['MAX_UPLOAD_BYTES', '2GiB'],
    ['MAX_UPLOAD_BYTES', '5MB'],
    ['MAX_UPLOAD_BYTES', '1.5MiB'],
    ['MAX_UPLOAD_BYTES', '99999999999999999999'],
    ['FREE_PAGES_PER_DAY', '0'],
    ['FETCH_MAX_REDIRECTS', '21'],
    ['WORKER_HEAP_MB', '31'],
    ['WORK_TIMEOUT_MS', '0'],
    ['WORK_TIMEOUT_MS', '86400001'],
    ['UPLOAD_KINDS', 'txt,exe'],
    ['UPLOAD_KINDS', 'txt,'],
    ['UPLOAD_KINDS', '__proto__'],
    ['LOG_LEVEL', 'loud'],
    ['NETWORK', 'mainnet'],
    ['FETCH_ALLOW', 'host:0'],
    ['FETCH_ALLOW', 'host:65536'],
    ['FETCH_ALLOW', 'http://host:80'],
    ['FETCH_ALLOW', 'user@host:80'],
    ['FETCH_ALLOW', 'a:80,,b:80'],
    ['FETCH_ALLOW', '::1:80'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['PUBLIC_URL', 'chunks.example.com'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['PUBLIC_URL', 'https://user:pw@example.com'],
    ['PUBLIC_URL', 'https://example.com/?x'],
    ['PUBLIC_URL', 'https://example.com/#x'],
    ['HOST', 'http://localhost'],
    ['HOST', 'a b'],
    ['PAY_TO', '0xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'],
    ['PAY_TO', 'short'],
    ['RPC_QUORUM', '0'],
    ['PAYMENT_BINDING', 'maybe'],
    ['PAYMENTS_NOT_BEFORE', 'yesterday'],
    ['PAYMENTS_NOT_BEFORE', '2026-11-22 10:00'],
    ['PAYMENTS_NOT_BEFORE', '2026-13-01T00:00:00Z'],
    ['PAYMENT_LEASE_MS', '999'],
    ['DEPLOYMENT_ID', 'a b'],
    ['X402_FACILITATOR_URL', 'ftp://facilitator.example'],
  ])('%s is not %s', (name, text) => {
    const issues = issuesOf({ [name]: text });
    expect(issues[0]).toMatch(new RegExp(`^${name} must be `));
    expect(issues[0]).toContain(JSON.stringify(text));
  });

  it('refuse to listen beyond loopback without a public address', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'myhost']) {
      expect(issuesOf({ HOST })).toEqual([
        expect.stringMatching(/^PUBLIC_URL must be set when HOST is beyond loopback/),
      ]);
      expect(issuesOf({ HOST, PUBLIC_URL: 'https://example.com' })).toEqual([]);
    }
    for (const HOST of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) expect(issuesOf({ HOST })).toEqual([]);
  });

  it('do not say that a public address is missing when the one that came is wrong', () => {
    expect(issuesOf({ HOST: '0.0.0.0', PUBLIC_URL: 'nonsense' })).toEqual([
      expect.stringMatching(/^PUBLIC_URL must be an http/),
    ]);
  });

  it('hold a heap within the memory of its process', () => {
    expect(issuesOf({ WORKER_HEAP_MB: '800' })).toEqual([
      'WORKER_RSS_MB must be at least WORKER_HEAP_MB, which is 800, but is 768.',
    ]);
    expect(issuesOf({ WORKER_HEAP_MB: '768' })).toEqual([]);
  });

  it('have a port each for the service and its metrics', () => {
    expect(issuesOf({ PORT: '9000', METRICS_PORT: '9000' })).toEqual([
      'METRICS_PORT must be another one than PORT, which is 9000.',
    ]);
    expect(issuesOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
  });

  it('name no more endpoints that must agree than there are', () => {
    const urls = 'https://a.example/key,https://b.example';
    expect(issuesOf({ RPC_QUORUM: '3', SOLANA_RPC_URLS: urls })).toEqual([
      'RPC_QUORUM must be at most the number of SOLANA_RPC_URLS, which is 2, but is 3.',
    ]);
    expect(issuesOf({ RPC_QUORUM: '2' })).toHaveLength(1);
    expect(issuesOf({ RPC_QUORUM: '2', SOLANA_RPC_URLS: urls })).toEqual([]);
  });

  it('that are keys of others are not repeated in messages', () => {
    const issues = issuesOf({
      SOLANA_RPC_URLS: 'https://a.example/s3cret, s3cret',
      X402_FACILITATOR_AUTH: 'Bearer s3cret\u00e9',
      DATABASE_URL: 'mysql://user:s3cret@host/db',
    });
    expect(issues.map((issue) => issue.split(' ')[0]).sort()).toEqual([
      'DATABASE_URL',
      'SOLANA_RPC_URLS',
      'X402_FACILITATOR_AUTH',
    ]);
    expect(issues.join()).not.toContain('s3cret');
  });

  it('refuse a user in an address for fetch, which would refuse it at each request, and keep its password', () => {
    for (const [name, more] of [
      ['EMBEDDINGS_BASE_URL', { EMBEDDINGS: 'openai', EMBEDDINGS_MODEL: 'm' }],
      ['AI_BASE_URL', { AI_MODEL: 'm', AI_PRICE: '0,0' }],
      ['SOLANA_RPC_URLS', {}],
    ] as const) {
      const issues = issuesOf({ ...more, [name]: 'https://me:s3cret@host.example/v1' });
      expect(issues).toEqual([
        expect.stringMatching(`^${name} must be .* without (?:a user; credentials|users)`),
      ]);
      expect(issues.join()).not.toContain('s3cret');
    }
  });

  it('take an address of PostgreSQL as it is written', () => {
    for (const DATABASE_URL of [
      'postgresql://user:p%40ss@db.example:5432/grainline?sslmode=verify-full',
      'postgres://db/grainline',
      'postgresql:///grainline?host=/run/postgresql',
    ])
      expect(readSettings({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
    for (const DATABASE_URL of ['db.example', 'https://db.example/x', 'postgresql', '//db/x'])
      expect(issuesOf({ DATABASE_URL })).toEqual([expect.stringMatching(/^DATABASE_URL must be an address/)]);
  });

  it('bind payments to the name of the deployment unless another one is given', () => {
    expect(readSettings({ DEPLOYMENT: 'compact' }).deploymentId).toBe('compact');
    expect(readSettings({ DEPLOYMENT_ID: 'https://a.example' }).deploymentId).toBe('https://a.example');
  });

  it('read a moment as milliseconds', () => {
    expect(readSettings({ PAYMENTS_NOT_BEFORE: '2026-11-22T00:00:00Z' }).paymentsNotBefore).toBe(
      Date.UTC(2026, 10, 22),
    );
  });

  it('never throw anything but their error, and never name a setting twice, whatever the environment holds', () => {
    const environment = fc.dictionary(fc.constantFrom(...ALL.map(({ name }) => name)), fc.string());
    fc.assert(
      fc.property(environment, (values) => {
        const names = issuesOf(values).map((issue) => issue.split(' ')[0]);
        expect(new Set(names).size).toBe(names.length);
      }),
      cases(100),
    );
  });

  it('take two to four numbers as a price', () => {
    const priceOf = (text: string) => readSettings({ AI_MODEL: 'mine', AI_PRICE: text }).aiPrice;
    expect(priceOf('1,5')).toEqual({ input: 1, output: 5 });
    expect(priceOf('1,5,0.1')).toEqual({ input: 1, output: 5, cachedInput: 0.1 });
    expect(priceOf('1,5,0.1,2')).toEqual({ input: 1, output: 5, cachedInput: 0.1, cacheWrite: 2 });
    for (const wrong of ['1', '1,5,0.1,2,3', '1,5,0.1,-2'])
      expect(issuesOf({ AI_MODEL: 'mine', AI_PRICE: wrong })).toEqual([expect.stringContaining('AI_PRICE')]);
  });

  it('name AI_PRICE once, however many models have no known price', () => {
    expect(issuesOf({ AI_MODEL: 'mine,yours' })).toEqual([
      expect.stringContaining('no price of the model "mine" and of the model "yours" is known'),
    ]);
  });

  it('are in the table of the docs, all of them', () => {
    const table = settingsTable();
    for (const { name, meaning, unit } of ALL)
      expect(table).toMatch(
        new RegExp(`^\\| \`${name}\` \\| [^|]+ \\| ${unit} \\| ${escaped(meaning)}`, 'm'),
      );
    expect(table).toContain('| `WORKERS` | processors, at most 4 | processes |');
    expect(table.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(ALL.length);
  });
});

describe('loopback', () => {
  it('is what only this machine reaches', () => {
    expect(
      ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'].filter(
        (host) => !isLoopback(host),
      ),
    ).toEqual([]);
    expect(
      ['0.0.0.0', '::', '10.0.0.1', 'example.com', 'localhost.example.com', ''].filter(isLoopback),
    ).toEqual([]);
  });
});
