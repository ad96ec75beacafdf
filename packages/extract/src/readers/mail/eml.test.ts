import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Block } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { MAIL_HEAD, writeMail } from '@grainline/testing/mail-writer';
import { para, styled, writeDocx } from '@grainline/testing/docx-writer';
import { expectLawful } from '../../../test/laws.ts';
import { extract } from '../../extract.ts';
import { detectKind } from '../../kind.ts';
import { DOCX } from '../docx/index.ts';
import { EML } from './index.ts';
import { joinPieces, lowered } from './join.ts';

const latin1Bytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

async function read(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof extract>>> {
  const document = await extract(bytes, { filename: 'a.eml' });
  expectLawful(document);
  return document;
}

const TOP = [
  '# Tides for März',
  '',
  '| From | Ada Reed <ada@sea.example> |',
  '| --- | --- |',
  '| To | Ben Hall <ben@sea.example>, crew@sea.example |',
  '| Date | Tue, 3 Mar 2026 10:00:00 +0100 |',
].join('\n');

describe('a message', () => {
  it('has its subject as heading, its head as table, and replies as quotations', async () => {
    const document = await read(
      writeMail([{ type: 'text/plain', body: 'Yes:\n- one\n- two\n\nBen wrote:\n> Which?\n>> Both.' }]),
    );
    expect(document.text).toBe(`${TOP}\n\nYes:\n- one\n- two\n\nBen wrote:\n\n> Which?\n>> Both.`);
    expect(document.blocks.map(({ kind }) => kind)).toEqual([
      'heading',
      'table',
      'paragraph',
      'list',
      'paragraph',
      'quote',
    ]);
    expect(document).toMatchObject({ mediaType: 'message/rfc822', title: 'Tides for März', warnings: [] });
  });

  it('has the quotations of a flowed body line by line, without marks inside', async () => {
    const body = [
      'This goes \non, and > stays.\nBen wrote: ',
      '> Which \n> of them? \n> \n> Or \n>> both, \n>> says Ada \n> then?',
    ].join('\n');
    const { text } = await read(writeMail([{ type: 'text/plain; charset=utf-8;\r\n format=flowed', body }]));
    expect(text.slice(TOP.length)).toBe(
      '\n\nThis goes on, and > stays.\nBen wrote:\n\n> Which of them?\n>\n> Or\n>> both, says Ada\n> then?',
    );
    const unflowed = writeMail([{ type: 'text/plain; charset=utf-8', body: '> a \n> b' }]);
    expect((await read(unflowed)).text.slice(TOP.length)).toBe('\n\n> a \n> b');
  });

  it('is read from its HTML where it has some', async () => {
    const html =
      '<h1>Tides</h1><p>See <a href="https://sea.example/t">the table</a>.</p><blockquote><p>Old</p></blockquote>';
    const alternative = `--c\r\nContent-Type: text/plain\r\n\r\nplain\r\n--c\r\nContent-Type: text/html\r\n\r\n${html}\r\n--c--`;
    const { text, links } = await read(
      writeMail([{ type: 'multipart/alternative; boundary="c"', body: alternative }]),
    );
    expect(text).toBe(`${TOP}\n\n## Tides\n\nSee the table.\n\n> Old`);
    expect(links?.map(({ start, end, href }) => [text.slice(start, end), href])).toEqual([
      ['the table', 'https://sea.example/t'],
    ]);
  });

  it('reads attachments by the readers of their kinds, below their names', async () => {
    const docx = writeDocx({ body: styled('Heading1', 'Pier') + para('North.') });
    const inner = 'From: old@sea.example\r\nSubject: Inner\r\n\r\nOld text.';
    const { text, warnings, outline } = await read(
      writeMail([
        { type: 'text/plain', body: 'Here.' },
        { type: 'application/octet-stream', filename: 'pier.docx', body: docx },
        { type: 'text/markdown', filename: 'notes.md', body: '# Notes\n\n## Deeper\n\n> # Quoted\n\nEnd.' },
        { type: 'message/rfc822', body: inner },
        {
          type: 'image/png',
          filename: 'pier.png',
          body: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
        },
        {
          type: 'application/zip',
          filename: 'all.zip',
          body: new Uint8Array([0x50, 0x4b, 5, 6, ...new Array<number>(18).fill(0)]),
        },
        { type: 'text/plain', filename: 'empty.txt', body: '' },
      ]),
    );
    expect(text.slice(TOP.length)).toBe(
      '\n\nHere.\n\n# pier.docx\n\n## Pier\n\nNorth.\n\n# notes.md\n\n## Notes\n\n### Deeper\n\n> # Quoted\n\nEnd.\n\n' +
        '# Attachment 3\n\n## Inner\n\n| From | old@sea.example |\n| --- | --- |\n\nOld text.',
    );
    expect(warnings).toMatchObject([{ code: 'parts_left_out', message: /: pier\.png, all\.zip\.$/ }]);
    expect(outline).toMatchObject([
      { title: 'Tides for März' },
      { title: 'pier.docx' },
      { title: 'Pier', level: 2 },
      { title: 'notes.md' },
      { title: 'Notes' },
      { title: 'Deeper', level: 3 },
      { title: 'Attachment 3' },
      { title: 'Inner' },
    ]);
  });

  it('reads messages inside messages three deep, and a hundred parts', async () => {
    let bytes: Uint8Array = new TextEncoder().encode('From: a@b.example\r\nSubject: level 9\r\n\r\ntext 9');
    for (let level = 8; level >= 0; level--)
      bytes = writeMail(
        [{ type: 'message/rfc822', body: new TextDecoder().decode(bytes) }],
        ['From: a@b.example', `Subject: level ${level}`],
        `b${level}`,
      );
    const { text, warnings } = await read(bytes);
    expect(text).toContain('level 3');
    expect(text).not.toContain('level 4');
    expect(warnings).toEqual([]);
    const many = Array.from({ length: 150 }, (_, at) => ({
      type: 'text/plain',
      filename: `${at}.txt`,
      body: `part ${at}`,
    }));
    const wide = await read(writeMail(many));
    expect(wide.text.match(/^part \d+$/gm)).toHaveLength(100);
    expect(wide.warnings).toMatchObject([{ code: 'parts_left_out', message: /: 100\.txt, .*…\.$/ }]);
  });

  it('shares the account of its tags with its attachments', async () => {
    const docx = writeDocx({ body: para('x') });
    const document = await EML.read({
      bytes: writeMail([{ type: 'application/octet-stream', filename: 'a.docx', body: docx }]),
      readInside: (bytes) => DOCX.read({ bytes, spent: { tags: 3_000_000, bytes: 0, ocrPages: 0 } }),
    });
    expect(document.text).toBe(TOP);
    expect(document.warnings).toMatchObject([{ code: 'parts_left_out' }]);
  });

  it.each([
    ['deep parts', 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(300)],
    ['a long head', `X-A: ${'x'.repeat(3 << 20)}\r\n\r\nText.`],
  ])('is too complex with %s', async (_, text) => {
    const bytes = new TextEncoder().encode(`From: a@b.example\r\n${text}`);
    await expect(extract(bytes, { filename: 'a.eml' })).rejects.toMatchObject({ code: 'too_complex' });
  });

  it('leaves signatures out', async () => {
    const { text, warnings } = await read(
      writeMail([
        { type: 'text/plain', body: 'High.' },
        {
          type: 'application/pgp-signature',
          filename: 'signature.asc',
          body: '-----BEGIN PGP SIGNATURE-----',
        },
      ]),
    );
    expect(text).toBe(`${TOP}\n\nHigh.`);
    expect(warnings).toEqual([]);
  });

  it('leaves encrypted parts, keys and signatures of OpenPGP out, whatever their type', async () => {
    const armour = (kind: string): string => `-----BEGIN PGP ${kind}-----\n\nwcBM\n-----END PGP ${kind}-----`;
    const { text, warnings } = await read(
      writeMail([
        { type: 'text/plain', body: 'High.' },
        { type: 'application/pgp-encrypted', body: 'Version: 1' },
        { type: 'application/octet-stream', filename: 'secret.asc', body: armour('MESSAGE') },
        { type: 'text/plain', filename: 'key.txt', body: armour('PUBLIC KEY BLOCK') },
        { type: 'application/x-signature', filename: 'sign.asc', body: armour('SIGNATURE') },
      ]),
    );
    expect(text).toBe(`${TOP}\n\nHigh.`);
    expect(warnings).toMatchObject([{ code: 'parts_left_out', message: /: secret\.asc, key\.txt\.$/ }]);
  });

  it('shows a recipient without an address by the name alone', async () => {
    const { text } = await read(new TextEncoder().encode('From: a@b.example\r\nTo: Crew <>\r\n\r\nHigh.'));
    expect(text).toBe('| From | a@b.example |\n| --- | --- |\n| To | Crew |\n\nHigh.');
  });

  it.each([
    ['parts', `Content-Type: multipart/mixed; boundary="b"\r\n\r\n${'--b\r\n\r\n'.repeat(20_001)}`],
    ['lines', `\r\n${'a\r\n'.repeat(150_001)}`],
  ])('is too complex with more %s than the library can hold', async (_, rest) => {
    const bytes = new TextEncoder().encode(`From: a@b.example\r\n${rest}`);
    await expect(extract(bytes, { filename: 'a.eml' })).rejects.toMatchObject({ code: 'too_complex' });
  });

  it('is told from texts by its head', async () => {
    const kindOf = (text: string, filename = 'a.txt'): Promise<string> =>
      detectKind(new TextEncoder().encode(text), { filename });
    expect(await kindOf(`${MAIL_HEAD.join('\r\n')}\r\n\r\nText.`)).toBe('eml');
    expect(await kindOf('From: here to there\n\nDate: a fruit.')).toBe('txt');
    expect(await kindOf('Subject: x\n\nText.', 'a.eml')).toBe('eml');
    // Bytes that no encoding has, as in a message whose parts have several.
    const mixed = latin1Bytes(`Subject: x\r\n\r\nT\x8d\x81\xfft ${'t\x8d\x90 '.repeat(20)}`);
    expect(await detectKind(mixed, { filename: 'a.eml' })).toBe('eml');
    expect(await kindOf('No head at all\n', 'a.eml')).toBe('txt');
  });

  it('gives a lawful document for any body', async () => {
    const body = fc.string({ unit: 'binary', maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.constantFrom('text/plain', 'text/html; charset=utf-8'),
        async (text, type) => {
          await read(writeMail([{ type, body: `Tide. ${text}` }]));
        },
      ),
      cases(60),
    );
  });
});

describe('pieces of a document', () => {
  const leaf = (text: string, kind: Block['kind'] = 'paragraph'): Block => ({
    kind,
    start: 0,
    end: text.length,
  });

  it('keep their blocks and links, moved', () => {
    const pieces = ['a b', '', 'c'].map((text) => ({
      text,
      blocks: text === '' ? [] : [{ ...leaf(text), page: 2 }],
      links: text === 'c' ? [{ start: 0, end: 1, href: 'h' }] : [],
    }));
    expect(joinPieces(pieces)).toEqual({
      text: 'a b\n\nc',
      blocks: [
        { kind: 'paragraph', start: 0, end: 3 },
        { kind: 'paragraph', start: 5, end: 6 },
      ],
      links: [{ start: 5, end: 6, href: 'h' }],
    });
  });

  it('have headings a level lower, but for the sixth', () => {
    const text = '# A\n\n###### B';
    const blocks: Block[] = [
      { kind: 'heading', depth: 1, start: 0, end: 3 },
      { kind: 'heading', depth: 6, start: 5, end: 13 },
    ];
    expect(lowered({ text, blocks, links: [{ start: 12, end: 13, href: 'h' }] })).toEqual({
      text: '## A\n\n###### B',
      blocks: [
        { kind: 'heading', depth: 2, start: 0, end: 4 },
        { kind: 'heading', depth: 6, start: 6, end: 14 },
      ],
      links: [{ start: 13, end: 14, href: 'h' }],
    });
  });
});
