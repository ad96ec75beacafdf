// The real command, in a process of its own, on a store that stays open here as a server's does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { runPayments } from '../../src/commands/payments.ts';
import { csvLine, decimal } from '../../src/commands/payment-view.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { storeIn } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';

const HOOK = new URL('../sandbox/from-sources.mjs', import.meta.url).href;
const BIN = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));
const NOW = Date.parse('2026-11-21T12:00:00Z');
const KEY = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const PAYER = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let folder: string;
let store: Store;
let nowMs: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-payments-'));
  nowMs = NOW;
  // Nothing here is about a power cut, and syncing a thousand sales takes long.
  const { quick, durable } = openDatabase(folder);
  durable.close();
  store = storeIn({ quick, durable: quick }, { maxStoredBytes: 1e9, now: () => nowMs });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function bind(key: string, credited = 2_500n, price = 2_000n, product = 'structure') {
  const answer = await store.reserve(key, 1000);
  if (answer.kind !== 'reserved') throw new Error(answer.kind);
  await store.recordVerified(answer.lease, { payer: PAYER, credited, slot: 330_000_000n });
  await store.bind(answer.lease, { fingerprint: 'c7ttjNY2', price, product });
  return answer.lease;
}

async function commitSale(...payment: Parameters<typeof bind>): Promise<void> {
  const response = { status: 200, headers: {}, gzip: gzipSync('{}'), expiresMs: nowMs + 3_600_000 };
  await store.commit(await bind(...payment), { response });
}

/** Three sold, one given back, one of which nothing is known. */
async function fill(): Promise<void> {
  await commitSale(KEY);
  nowMs += 60_000;
  await commitSale('sold later', 10_000n, 10_000n, 'ai');
  await commitSale('for very much', 9_007_199_254_740_993n, 2_000n);
  await store.release(await bind('given back'), { reason: 'pdf_damaged', counts: true });
  await store.reserve('only reserved', 1000);
}

/** Runs `grainline-server payments …`. */
async function payments(...argv: string[]) {
  const child = spawn(process.execPath, ['--import', HOOK, BIN, 'payments', ...argv], {
    env: { DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, out, complaints };
}

/** The same in this process, for the many wrong ways to call it. */
async function inProcess(
  argv: readonly string[],
  environment: Record<string, string> = { DATA_DIR: folder },
) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const terminal = {
    environment,
    print: (line: string) => void printed.push(line),
    complain: (line: string) => void complaints.push(line),
    drained: () => Promise.resolve(),
  };
  const code = await runPayments(argv, terminal, () => nowMs);
  return { code, out: printed.join('\n'), complaints: complaints.join('\n') };
}

describe('grainline-server payments list', () => {
  it('shows the latest first, with totals and surplus, while a server has the store open', async () => {
    await fill();
    const { code, out, complaints } = await payments('list');
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^first seen \(UTC\) +state +product +price +credited +surplus +tries +key$/);
    expect(lines.slice(1, 6).map((line) => line.replace(/ {2,}/g, '|'))).toEqual([
      '2026-11-21 12:01:00|consumed|ai|0.010000|0.010000|0.000000|0|sold later',
      '2026-11-21 12:01:00|reserved|-|-|-|-|0|only reserved',
      '2026-11-21 12:01:00|released|structure|0.002000|0.002500|-|1|given back',
      '2026-11-21 12:01:00|consumed|structure|0.002000|9007199254.740993|9007199254.738993|0|for very much',
      `2026-11-21 12:00:00|consumed|structure|0.002000|0.002500|0.000500|0|${KEY}`,
    ]);
    const totals = lines.slice(7).map((line) => line.replace(/ {2,}/g, '|'));
    expect(totals).toEqual([
      'state|product|payments|credited|sold for|surplus',
      'consumed|ai|1|0.010000|0.010000|0.000000',
      'consumed|structure|2|9007199254.743493|0.004000|9007199254.739493',
      'released|structure|1|0.002500|0.000000|0.000000',
      'reserved|-|1|0.000000|0.000000|0.000000',
      'all|5|9007199254.755993|0.014000|9007199254.739493',
      '',
      'Unspent: 0.002500 USDC. Refunded: 0.000000 USDC. Amounts are in USDC.',
      '',
    ]);
  });

  it('sees what the server sells between two looks', async () => {
    expect((await inProcess(['list'])).out).toBe('No payments.');
    await commitSale('first');
    expect(JSON.parse((await inProcess(['list', '--json'])).out)).toMatchObject({ sums: { count: 1 } });
    await commitSale('second');
    expect(JSON.parse((await inProcess(['list', '--json'])).out)).toMatchObject({ sums: { count: 2 } });
  });

  it('prints JSON with exact amounts', async () => {
    await fill();
    const { code, out } = await inProcess(['list', '--json', '--state', 'consumed']);
    expect(code).toBe(0);
    const { payments: list, totals, sums } = JSON.parse(out) as Record<string, unknown[]>;
    expect(list).toHaveLength(3);
    expect(list).toContainEqual({
      key: KEY,
      state: 'consumed',
      product: 'structure',
      price: '2000',
      price_usdc: '0.002000',
      credited: '2500',
      credited_usdc: '0.002500',
      surplus: '500',
      surplus_usdc: '0.000500',
      payer: PAYER,
      slot: '330000000',
      memo: null,
      fingerprint: 'c7ttjNY2',
      tries: 0,
      reason: null,
      finality: 'pending',
      created: '2026-11-21T12:00:00.000Z',
      changed: '2026-11-21T12:00:00.000Z',
      refunded: null,
      note: null,
    });
    expect(totals).toContainEqual({
      state: 'consumed',
      refunded: false,
      product: 'structure',
      count: 2,
      credited: '9007199254743493',
      credited_usdc: '9007199254.743493',
      price: '4000',
      price_usdc: '0.004000',
      surplus: '9007199254739493',
      surplus_usdc: '9007199254.739493',
    });
    expect(sums).toMatchObject({ count: 3, credited: '9007199254753493', surplus: '9007199254739493' });
  });

  it.each([
    [['--state', 'released'], 1],
    [['--since', '2026-11-21'], 5],
    [['--since', '2026-11-21T12:00:30'], 4],
    [['--since', '2026-11-21T12:00:30.5Z'], 4],
    [['--since', '2026-11-21T13:00:30+01:00'], 4],
    [['--since', '2026-11-22'], 0],
    [['--since', '30m'], 4],
    [['--since', '24h'], 5],
    [['--since=1d', '--state=bound'], 0],
  ])('with %j adds up the payments that pass', async (filter, count) => {
    await fill();
    nowMs = NOW + 31 * 60_000 - 1;
    const { code, out } = await inProcess(['list', '--json', ...filter]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ sums: { count } });
  });

  it('shows which payments vanished from the chain', async () => {
    await fill();
    await store.markFinal(KEY, 'vanished');
    const { out } = await inProcess(['list']);
    expect(out.match(/consumed, vanished/g)).toHaveLength(1);
    expect(out.split('\n').find((line) => line.endsWith(KEY))).toContain('consumed, vanished');
  });

  it('says how many it does not show', async () => {
    await fill();
    const { out } = await inProcess(['list', '--limit', '2']);
    expect(out).toContain('Shown are the latest 2 of 5');
    expect(out).not.toContain(KEY);
    expect((await inProcess(['list', '--limit', '5'])).out).not.toContain('Shown');
  });
});

describe('grainline-server payments show', () => {
  it('shows all that is known of a payment', async () => {
    await fill();
    const { code, out } = await payments('show', KEY);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.replace(/ {2,}/, '|'))).toEqual([
      `key|${KEY}`,
      'state|consumed',
      'product|structure',
      'price|0.002000 USDC (2000 micro-USDC)',
      'credited|0.002500 USDC (2500 micro-USDC)',
      'surplus|0.000500 USDC (500 micro-USDC)',
      `payer|${PAYER}`,
      'slot|330000000',
      'fingerprint|c7ttjNY2',
      'tries|0',
      'finality|pending',
      'created|2026-11-21T12:00:00.000Z',
      'changed|2026-11-21T12:00:00.000Z',
      // The command's clock is that of the machine, and the answer's hour is over or not.
      expect.stringMatching(/^answer\|(kept until 2026-11-21T13:00:00.000Z|no longer kept)$/) as string,
      '',
    ]);
    expect(JSON.parse((await inProcess(['show', ` ${KEY} `, '--json'])).out)).toMatchObject({ key: KEY });
  });

  it('says that a key is unknown, and exits with 1', async () => {
    const { code, out, complaints } = await inProcess(['show', 'unknown']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(complaints).toContain('no payment "unknown" is known here');
  });
});

describe('grainline-server payments refunded', () => {
  it('marks a payment, which buys nothing from then on', async () => {
    await fill();
    const { code, out } = await inProcess([
      'refunded',
      'given back',
      '--note',
      'sent in 4Hx\u001b[31m "quoted"',
    ]);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Marked as refunded: given back. It buys nothing from now on.',
    });
    expect(await store.reserve('given back', 1000)).toEqual({ kind: 'exhausted' });
    const shown = (await inProcess(['show', 'given back'])).out;
    expect(shown).toContain('note         "sent in 4Hx\\u001b[31m \\"quoted\\""');
    const { out: list } = await inProcess(['list']);
    expect(list).toContain('released, refunded');
    expect(list).toContain('Unspent: 0.000000 USDC. Refunded: 0.002500 USDC.');
  });

  it('says why it does not, and exits with 1', async () => {
    await fill();
    await bind('held');
    const refusalOf = async (key: string) => {
      const { code, out, complaints } = await inProcess(['refunded', key]);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      return complaints;
    };
    expect(await refusalOf('held')).toContain('works with it at this moment');
    expect(await refusalOf('only reserved')).toContain('not known that anything was paid');
    expect(await refusalOf('unknown')).toContain('no payment "unknown"');
    expect((await inProcess(['refunded', KEY, '--json'])).code).toBe(0);
    expect(await refusalOf(KEY)).toContain('refunded already');
  });
});

describe('grainline-server payments export', () => {
  it('writes a JSON text a line for every payment, more than one read of the store has', async () => {
    for (let index = 0; index < 1100; index++) await commitSale(`payment ${index}`);
    const { code, out } = await payments('export');
    expect(code).toBe(0);
    const keys = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { key: string }).key);
    expect(keys).toHaveLength(1100);
    expect(new Set(keys).size).toBe(1100);
  });

  it('writes CSV with a line of names, and quotes what needs it', async () => {
    await fill();
    await store.markRefunded('given back', 'a "note", of\ntwo lines');
    const { code, out } = await inProcess(['export', '--format', 'csv']);
    expect(code).toBe(0);
    const [names, ...lines] = out.split('\n');
    expect(names).toBe(
      'key,state,product,price,price_usdc,credited,credited_usdc,surplus,surplus_usdc,payer,slot,memo,fingerprint,tries,reason,finality,created,changed,refunded,note',
    );
    expect(lines).toContain(
      `${KEY},consumed,structure,2000,0.002000,2500,0.002500,500,0.000500,${PAYER},330000000,,c7ttjNY2,0,,pending,2026-11-21T12:00:00.000Z,2026-11-21T12:00:00.000Z,,`,
    );
    expect(out).toContain('"a ""note"", of\ntwo lines"\n');
  });

  it('ends without a word when its reader has gone', async () => {
    for (let index = 0; index < 2000; index++) await commitSale(`payment ${index}`);
    const command = `"${process.execPath}" --import "${HOOK}" "${BIN}" payments export | head -n 1`;
    const child = spawn('/bin/sh', ['-c', command], { env: { DATA_DIR: folder, PATH: process.env['PATH'] } });
    const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out.split('\n')).toHaveLength(2);
    expect(complaints).toBe('');
  });
});

describe('grainline-server payments', () => {
  it('explains itself', async () => {
    const { code, out } = await inProcess(['--help']);
    expect(code).toBe(0);
    for (const word of [
      'list',
      'show KEY',
      'refunded KEY',
      'export',
      '--state',
      '--since',
      '--note',
      'DATA_DIR',
    ])
      expect(out).toContain(word);
    expect((await inProcess(['list', '-h'])).out).toBe(out);
  });

  it.each([
    [[], 'say what to do: list, show, refund, refunded, export'],
    [['pay'], 'unknown command "pay"; there are list, show, refund, refunded, export'],
    [['__proto__'], 'unknown command "__proto__"'],
    [['show'], 'show needs the key of a payment'],
    [['show', ' '], 'show needs the key of a payment'],
    [['unblock'], 'unblock needs the address of a payer'],
    [['blocked', 'a'], 'unknown argument "a"'],
    [['show', 'a', 'b'], 'unknown argument "b"'],
    [['list', 'a'], 'unknown argument "a"'],
    [['list', '--color'], "Unknown option '--color'"],
    [['list', '--limit'], "Option '--limit <value>' argument missing"],
    [['list', '--limit', '0'], '--limit must be a number from 1 to 10000, but is "0"'],
    [['list', '--limit', '1e3'], '--limit must be a number'],
    [
      ['list', '--format', 'csv'],
      '--format means nothing to list; it takes --state, --since, --limit, --json',
    ],
    [['export', '--format', 'xml'], '--format must be jsonl or csv, but is "xml"'],
    [['list', '--state', 'paid'], '--state must be one of reserved, verified'],
    [['list', '--since', 'yesterday'], '--since must be a day such as'],
    [['list', '--since', '2026-02-30'], '--since must be a day such as'],
    [['list', '--since', '2026-11-21T25:00'], '--since must be a day such as'],
    [['list', '--since', '2026-13-01'], '--since must be a day such as'],
    [['list', '--since', ''], '--since must be a day such as'],
  ])('refuses %j with a sentence and exit code 2', async (argv, sentence) => {
    const { code, out, complaints } = await inProcess(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(complaints).toContain(sentence);
    expect(complaints.split('\n')).toHaveLength(1);
  });

  it('makes no empty store of a wrong folder, but says which one it looked at', async () => {
    const wrong = join(folder, 'wrong');
    const { code, complaints } = await inProcess(['list'], { DATA_DIR: wrong });
    expect(code).toBe(1);
    expect(complaints).toContain(wrong);
    expect(complaints).toContain('DATA_DIR');
    expect(existsSync(wrong)).toBe(false);
  });

  it('needs no other setting than DATA_DIR to be right', async () => {
    expect((await inProcess(['list'], { DATA_DIR: folder, PORT: 'x', HOST: '0.0.0.0' })).code).toBe(0);
    expect((await inProcess(['list'], { DATA_DIR: 'a\0b' })).code).toBe(2);
  });
});

describe('grainline-server payments blocked and unblock', () => {
  it('show who is blocked, and take their payments again, while a server has the store open', async () => {
    expect(await payments('blocked')).toMatchObject({ code: 0, out: 'No payer is blocked.\n' });
    await store.blockPayer(PAYER);
    nowMs += 60_000;
    await store.blockPayer('another');
    expect((await inProcess(['blocked'])).out).toBe(
      `2026-11-21T12:01:00.000Z  another\n2026-11-21T12:00:00.000Z  ${PAYER}`,
    );
    expect(JSON.parse((await inProcess(['blocked', '--json'])).out)).toEqual({
      blocked: [
        { payer: 'another', since: '2026-11-21T12:01:00.000Z' },
        { payer: PAYER, since: '2026-11-21T12:00:00.000Z' },
      ],
    });
    const { code, out, complaints } = await payments('unblock', PAYER);
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    expect(out).toBe(`Unblocked: ${PAYER}. What was paid meanwhile can be used.\n`);
    expect(await store.blockedPayers()).toMatchObject([{ payer: 'another' }]);
  });

  it('say who is not blocked, and change nothing', async () => {
    await store.blockPayer(PAYER);
    const { code, out, complaints } = await inProcess(['unblock', 'somebody']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(complaints).toContain('"somebody" is not blocked here; payments blocked lists who is');
    expect(await store.blockedPayers()).toHaveLength(1);
    expect(JSON.parse((await inProcess(['unblock', PAYER, '--json'])).out)).toMatchObject({
      unblocked: { payer: PAYER },
    });
  });
});

describe('amounts', () => {
  it('are written in USDC without any loss', () => {
    expect(decimal(0n)).toBe('0.000000');
    expect(decimal(-1n)).toBe('-0.000001');
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (amount) => {
        const text = decimal(amount);
        expect(text).toMatch(/^-?\d+\.\d{6}$/);
        expect(BigInt(text.replace('.', ''))).toBe(amount);
      }),
      cases(100),
    );
  });

  it('and texts survive CSV', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (values) => {
        expect(readCsvLine(csvLine(values))).toEqual(values);
      }),
      cases(100),
    );
  });
});

/** One line of RFC 4180, read letter by letter. */
function readCsvLine(line: string): string[] {
  const values = [''];
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at);
    if (isQuoted && letter === '"' && line[at + 1] === '"') {
      values.push(`${values.pop()}"`);
      at++;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (letter === ',' && !isQuoted) values.push('');
    else values.push(`${values.pop()}${letter}`);
  }
  return values;
}
