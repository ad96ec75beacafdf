// docs/payments.md agrees with the code about rejections and about the formula.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canonicalText, type CanonicalRequest, fingerprint, memoOf } from '../src/gate/binding.ts';
import { PaymentProblem, type Reason, type ReasonEntry, REASONS } from '../src/gate/reasons.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/payments.md'), 'utf8');

it('the table of refusals is the closed list', () => {
  const [, section = ''] = PAGE.split('## Every refusal');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `.*$/gm)].map(([row]) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  const expected = Object.entries(REASONS as Readonly<Record<string, ReasonEntry>>).map(
    ([code, { status, meaning, wayOut, retryAfterS }]) => [
      `\`${code}\``,
      String(status),
      retryAfterS === undefined ? 'no' : `yes, after ${retryAfterS} s`,
      `${meaning} ${wayOut}`,
    ],
  );
  expect(rows).toEqual(expected);
});

it.each(Object.keys(REASONS) as Reason[])(
  'the message of %s says what was wrong, and last what to do',
  (reason) => {
    const { status, meaning, wayOut, retryAfterS }: ReasonEntry = REASONS[reason];
    for (const text of [meaning, wayOut]) expect(text).toMatch(/^[A-Z].*\.$/);
    expect(new PaymentProblem(reason).message).toBe(`${meaning} ${wayOut}`);
    expect(new PaymentProblem(reason, { detail: 'It gave 1.' }).message).toBe(
      `${meaning} It gave 1. ${wayOut}`,
    );
    // A text says either to send the same again or to pay.
    expect(/[Ss]end the same/.test(wayOut)).toBe(retryAfterS !== undefined);
    if (status === 503) expect(wayOut).not.toMatch(/\b[Pp]ay(?! again)/);
  },
);

it('the test vector of the binding is what the formula gives', async () => {
  const [, text = '', memo = ''] = /```json\n(\{"deployment".*)\n```\n\n```text\n(.*)\n```/.exec(PAGE) ?? [];
  const request = JSON.parse(text) as CanonicalRequest;
  expect(canonicalText(request)).toBe(text);
  expect(memoOf(await fingerprint(request))).toBe(memo);
});
