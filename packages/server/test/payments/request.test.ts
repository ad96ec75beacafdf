// The formula of docs/payments.md. The vectors are what other implementations are held to: a change is a new formula.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@grainline/core/formats';
import { type CanonicalRequest, canonicalText, fingerprint, memoOf } from '@grainline/x402';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { memoOfUpload } from '@grainline/x402/testing';
import { deploymentOf, findTier } from '../../src/catalog.ts';
import { checkJsonFields, checkUploadFields, defaultOptions } from '../../src/requests/fields.ts';
import type { ChunkRequest, RequestSource } from '../../src/requests/chunk-request.ts';
import { cleanName } from '../../src/fields/file-name.ts';
import { canonicalRequest, OPTIONAL_MEMBERS, uploadTemplate } from '../../src/payments/canonical-request.ts';

const DEPLOYMENT = deploymentOf({ deployment: 'primary', payments: 'off', payTo: undefined });
const TIER = findTier(DEPLOYMENT, 'structure');
if (TIER === undefined) throw new Error('the deployment has the tier');
const tier = TIER;

const order = (members: Readonly<Record<string, unknown>>, source: RequestSource): ChunkRequest => {
  const { options } = checkJsonFields(new Map(Object.entries({ text: 'x', ...members })), DEPLOYMENT);
  return { tier, options, source };
};
const link: RequestSource = { kind: 'link', url: 'https://example.org/a.pdf?x=1' };
const upload = (
  content: string,
  filename: string | undefined,
  sha256?: string,
  contentType = 'text/plain',
): RequestSource => ({
  kind: 'upload',
  upload: {
    bytes: new TextEncoder().encode(content),
    filename,
    contentType,
    ...(sha256 === undefined ? {} : { sha256 }),
  },
});

describe('the canonical form of a request', () => {
  it.each([
    [
      'a link',
      order({}, link),
      '{"deployment":"primary","options":{"chunk_overlap":"0","chunk_size":"1000","output_format":"raw","unit":"characters"},"source":{"url":"https://example.org/a.pdf?x=1"},"tier":"structure"}',
    ],
    [
      'a link with options that have no part in a request without them',
      order({ tier: 'semantic', parents: true, embeddings: true, blend: 0.4 }, link),
      '{"deployment":"primary","options":{"blend":"0.4","chunk_overlap":"0","chunk_size":"1000","embeddings":"true","output_format":"raw","parents":"true","unit":"characters"},"source":{"url":"https://example.org/a.pdf?x=1"},"tier":"structure"}',
    ],
    [
      'a text with options',
      order(
        {
          unit: 'tokens',
          chunk_target: 300,
          document_id: 'ä "1"',
          output_format: 'qdrant',
          text_field: 'body',
        },
        { kind: 'text', text: 'Grüße', filename: 'text.txt' },
      ),
      '{"deployment":"primary","options":{"chunk_overlap":"0","chunk_size":"512","chunk_target":"300","document_id":"ä \\"1\\"","encoding":"o200k","output_format":"qdrant","text_field":"body","unit":"tokens"},"source":{"filename":"text.txt","text_sha256":"c1c6a5a3a3e1b2ad"},"tier":"structure"}',
    ],
    [
      'an upload without a name',
      order({}, upload('Text.', undefined)),
      '{"deployment":"primary","options":{"chunk_overlap":"0","chunk_size":"1000","output_format":"raw","unit":"characters"},"source":{"file_sha256":"FILE","filename":""},"tier":"structure"}',
    ],
  ])('of %s is this text', (_, given, text) => {
    const hash = (content: string): string => createHash('sha256').update(content).digest('hex');
    const expected = text.replace('c1c6a5a3a3e1b2ad', hash('Grüße')).replace('FILE', hash('Text.'));
    expect(canonicalText(canonicalRequest('primary', given))).toBe(expected);
  });

  // x402 depends on no other package, so it has the rule of core for objects of strings once more.
  it('is the canonical JSON of core', () => {
    const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat(20).map(String));
    const { request } = fc.letrec<{ request: CanonicalRequest; value: string | CanonicalRequest }>((tie) => ({
      request: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
      value: fc.oneof({ maxDepth: 3 }, name, tie('request')),
    }));
    fc.assert(
      fc.property(request, (given) => {
        expect(canonicalText(given)).toBe(canonicalJson(given));
      }),
      cases(100),
    );
  });

  // Computed by another implementation, in Python: hashlib over json.dumps(sort_keys=True, separators=(',', ':')).
  it('has this fingerprint', async () => {
    expect(await fingerprint(canonicalRequest('primary', order({}, link)))).toBe(
      'GrwuBfkKluGiguRB820nt6owaI2EXfN1qqZxBPS8KH4',
    );
    expect(await fingerprint(canonicalRequest('compact', order({}, upload('Text.', 'note.txt'))))).toBe(
      'hgBqXigVtPW197c3Jm5s8xxNpSiNqJrKRAJCmHuDbwY',
    );
  });

  it('of an upload is the one that its template becomes', () => {
    const given = upload('Text.', 'note.txt');
    const template = uploadTemplate('primary', 'structure', defaultOptions(tier, DEPLOYMENT));
    const source = { file_sha256: createHash('sha256').update('Text.').digest('hex'), filename: 'note.txt' };
    expect(canonicalRequest('primary', order({}, given))).toEqual({ ...template, source });
  });

  it('of an upload has no members but those of its template, and those that are said to be optional', () => {
    const given = upload('Text.', 'note.txt', undefined, 'text/plain; charset=latin1');
    const template = uploadTemplate('primary', 'structure', defaultOptions(tier, DEPLOYMENT));
    const namesIn = ({ source = {} }: CanonicalRequest): string[] => Object.keys(source);
    expect(namesIn(canonicalRequest('primary', order({}, given)))).toEqual([
      ...namesIn(template),
      ...namesIn(OPTIONAL_MEMBERS),
    ]);
  });

  it('takes the hash that was made while the file came in', () => {
    const { source } = canonicalRequest('primary', order({}, upload('Text.', 'a', 'known')));
    expect(source).toEqual({ file_sha256: 'known', filename: 'a' });
  });

  it.each([
    ['utf-8', undefined],
    ['"UTF8"', undefined],
    ['binary', undefined],
    ['x-nonsense', undefined],
    ['latin1', 'windows-1252'],
    ['Windows-1252', 'windows-1252'],
    ['"sjis"', 'shift_jis'],
  ])('of an upload whose part says charset=%s has the charset %s', (label, charset) => {
    const plain = canonicalRequest('primary', order({}, upload('Text.', 'a.txt')));
    const type = `text/plain; charset=${label}`;
    const { source, ...rest } = canonicalRequest(
      'primary',
      order({}, upload('Text.', 'a.txt', undefined, type)),
    );
    const expected = charset === undefined ? {} : { charset };
    expect({ ...rest, source }).toEqual({
      ...plain,
      source: { ...(plain['source'] as object), ...expected },
    });
  });

  // Computed by another implementation, in Python, as above.
  it('with a charset has this fingerprint', async () => {
    const given = upload('Text.', 'note.txt', undefined, 'text/plain; charset=latin1');
    expect(await fingerprint(canonicalRequest('compact', order({}, given)))).toBe(
      'fn7xtMoCq9R342r77l99ZR6ix1Q6sHol1smHigp-9HQ',
    );
  });

  it('is what a client makes of its form, whatever content type the file has', async () => {
    const word = fc.constantFrom(
      'charset',
      'Charset',
      '=',
      ';',
      ' ',
      '"',
      'utf-8',
      'koi8',
      'latin1',
      'x',
      ',',
    );
    const type = fc.oneof(
      fc.array(word).map((words) => `text/plain;${words.join('')}`),
      fc.array(word).map((words) => words.join('')),
    );
    const template = uploadTemplate('primary', 'structure', defaultOptions(tier, DEPLOYMENT));
    await fc.assert(
      fc.asyncProperty(type, async (contentType) => {
        const form = new FormData();
        form.append('file', new Blob(['Text.'], { type: contentType }), 'a.txt');
        const server = canonicalRequest(
          'primary',
          order({}, upload('Text.', 'a.txt', undefined, contentType)),
        );
        expect(await memoOfUpload({ template, implied: [] }, form)).toBe(memoOf(await fingerprint(server)));
      }),
      cases(200),
    );
  });

  it('is what a client makes of its form, whatever name the file has', async () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      ' ',
      '/',
      'ü',
      '😀',
      '\u202e',
      '.md',
      'b'.repeat(97),
      'c'.repeat(150),
    );
    const name = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const template = uploadTemplate('primary', 'structure', defaultOptions(tier, DEPLOYMENT));
    await fc.assert(
      // Other tests cover values that are no names.
      fc.asyncProperty(
        name.filter((sent) => cleanName(sent) !== undefined),
        async (sent) => {
          const form = new FormData();
          form.append('file', new Blob(['Text.'], { type: 'text/plain' }), sent);
          const server = canonicalRequest('primary', order({}, upload('Text.', cleanName(sent))));
          expect(await memoOfUpload({ template, implied: [] }, form)).toBe(memoOf(await fingerprint(server)));
        },
      ),
      cases(300),
    );
  });

  it('is the same for options that are given and for the same by default, as JSON or in a form', () => {
    const form = checkUploadFields(
      new Map([
        ['chunk_size', '01000'],
        ['unit', 'characters'],
      ]),
      DEPLOYMENT,
      tier,
    );
    const source = link;
    expect(canonicalRequest('a', { tier, options: form.options, source })).toEqual(
      canonicalRequest('a', order({ chunk_overlap: 0, output_format: 'raw' }, source)),
    );
  });

  it('differs whenever an option, the tier, the deployment or the document does', async () => {
    const options = fc.record(
      {
        chunk_size: fc.integer({ min: 400, max: 600 }),
        chunk_overlap: fc.integer({ min: 0, max: 40 }),
        chunk_target: fc.integer({ min: 100, max: 400 }),
        chunk_min: fc.integer({ min: 0, max: 100 }),
        unit: fc.constantFrom('characters', 'tokens'),
        output_format: fc.constantFrom('raw', 'chroma', 'qdrant'),
        document_id: fc.stringMatching(/^[a-z]{1,3}$/),
      },
      { requiredKeys: [] },
    );
    const request = fc.record({ options, url: fc.constantFrom('https://a.example/', 'https://b.example/') });
    const formOf = ({ options: given, url }: { options: object; url: string }) =>
      canonicalRequest('primary', order({ ...given }, { kind: 'link', url }));
    const meaning = ({ options: given, url }: { options: object; url: string }) =>
      JSON.stringify([order({ ...given }, link).options, url], sorted);
    await fc.assert(
      fc.asyncProperty(request, request, async (a, b) => {
        const equal = (await fingerprint(formOf(a))) === (await fingerprint(formOf(b)));
        expect(equal).toBe(meaning(a) === meaning(b));
      }),
      cases(100),
    );
  });
});

/** Members in one order, for comparing by text. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
