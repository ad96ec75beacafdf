import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { type MsgFolder, writeCompoundFile, writeMsg } from '@grainline/testing/msg-writer';
import { expectLawful } from '../../../test/laws.ts';
import { extract } from '../../extract.ts';

const MESSAGE: MsgFolder = {
  streams: {
    '0037001F': 'Tides for März',
    '0C1A001F': 'Ada Reed',
    '5D01001F': 'ada@sea.example',
    '1000001F': 'Here it is.\r\n\r\nBen wrote:\r\n> Which?',
  },
  folders: {
    '__recip_version1.0_#00000000': { streams: { '3001001F': 'Ben Hall', '39FE001F': 'ben@sea.example' } },
    '__attach_version1.0_#00000000': {
      streams: { '3707001F': 'notes.md', '37010102': new TextEncoder().encode('# Notes\n\nHigh.') },
    },
  },
};

describe('a message of Outlook', () => {
  it('is read as other mail is', async () => {
    const document = await extract(writeMsg(MESSAGE), { filename: 'a.msg' });
    expectLawful(document);
    expect(document.text).toBe(
      '# Tides for März\n\n| From | Ada Reed <ada@sea.example> |\n| --- | --- |\n| To | Ben Hall <ben@sea.example> |\n\n' +
        'Here it is.\n\nBen wrote:\n\n> Which?\n\n# notes.md\n\n## Notes\n\nHigh.',
    );
    expect(document).toMatchObject({ mediaType: 'application/vnd.ms-outlook', title: 'Tides for März' });
  });

  it('has the lines of its head as they were sent, and the signed form of its body once', async () => {
    const sent =
      'From: =?utf-8?q?Ad=C3=A9?= <ada@sea.example>\r\nTo: crew@sea.example\r\nDate: Tue, 3 Mar 2026 10:00:00 +0100\r\n';
    const { text } = await extract(
      writeMsg({
        streams: { ...MESSAGE.streams, '007D001F': sent },
        folders: {
          ...MESSAGE.folders,
          '__attach_version1.0_#00000000': {
            streams: { '370E001F': 'multipart/signed', '37010102': new TextEncoder().encode('Here it is.') },
          },
        },
      }),
    );
    expect(text).toBe(
      '# Tides for März\n\n| From | Adé <ada@sea.example> |\n| --- | --- |\n| To | crew@sea.example |\n' +
        '| Date | Tue, 3 Mar 2026 10:00:00 +0100 |\n\nHere it is.\n\nBen wrote:\n\n> Which?',
    );
  });

  it('has its HTML in any charset that it names', async () => {
    const page = '<meta charset="windows-1251"><p>\xcf\xf0\xe8\xeb\xe8\xe2</p>';
    const html = Uint8Array.from(page, (character) => character.charCodeAt(0));
    const { text } = await extract(writeMsg({ streams: { '0037001F': 'x', '10130102': html } }));
    expect(text).toBe('# x\n\nПрилив');
  });

  it('is read from its RTF where it has nothing else', async () => {
    const raw = String.raw`{\rtf1\ansi High {\b tide}.}`;
    const header = new DataView(new ArrayBuffer(16));
    // Sizes, and "MELA" for text that is not compressed ([MS-OXRTFCP], section 2.1.3.1).
    for (const [at, value] of [raw.length + 12, raw.length, 0x414c454d, 0].entries())
      header.setUint32(4 * at, value, true);
    const body = Uint8Array.from([...new Uint8Array(header.buffer), ...new TextEncoder().encode(raw)]);
    const { text } = await extract(writeMsg({ streams: { '0037001F': 'x', '10090102': body } }));
    expect(text).toBe('# x\n\nHigh **tide**.');
  });

  it('is known by its streams, and other compound files are refused', async () => {
    const other = writeCompoundFile('Contents', Uint8Array.of(1, 2, 3));
    await expect(extract(other, { filename: 'a.msg' })).rejects.toMatchObject({ code: 'unsupported_type' });
  });

  it('in ANSI is read in its code page', async () => {
    const ansi = (text: string): Uint8Array =>
      Uint8Array.from(text, (character) => {
        const code = character.charCodeAt(0);
        // Windows-1251 has the Cyrillic letters in the order of Unicode.
        return code < 0x80 ? code : code - 0x410 + 0xc0;
      });
    const bytes = writeMsg({
      streams: { '0037001E': ansi('Прилив'), '0C1A001E': ansi('Ада'), '1000001E': ansi('Высокая вода.') },
      numbers: { '3FFD0003': 1251 },
      folders: {
        '__attach_version1.0_#00000000': {
          streams: { '3707001E': ansi('план.txt'), '37010102': new TextEncoder().encode('Text.') },
        },
      },
    });
    const { text } = await extract(bytes, { filename: 'a.msg' });
    expect(text).toBe('# Прилив\n\n| From | Ада |\n| --- | --- |\n\nВысокая вода.\n\n# план.txt\n\nText.');
  });

  it('whose sectors form a circle is corrupted', async () => {
    const bytes = writeMsg(MESSAGE);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const table = 512 * (1 + view.getUint32(0x4c, true));
    for (let at = 0; at < 128; at++) view.setUint32(table + 4 * at, 0, true);
    await expect(extract(bytes, { filename: 'a.msg' })).rejects.toMatchObject({ code: 'corrupted' });
  });

  it('that is cut off or changed ends with a code', async () => {
    const whole = writeMsg(MESSAGE);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, value, isCut) => {
        const bytes = isCut ? whole.slice(0, at) : whole.map((byte, index) => (index === at ? value : byte));
        const document = await extract(bytes, { filename: 'a.msg' }).catch((error: unknown) => {
          expect(error).toMatchObject({ name: 'ExtractError' });
        });
        if (document !== undefined) expectLawful(document);
      }),
      cases(100),
    );
  });
});
