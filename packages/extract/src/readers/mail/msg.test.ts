import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js';
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { expectLawful } from '../../../test/laws.ts';
import { extract } from '../../extract.ts';

const { DIRECTORY, DOCUMENT, ROOT } = TypeEnum;

/** A folder of property streams; values by tag and type. */
interface Folder {
  readonly streams: Readonly<Record<string, string | Uint8Array>>;
  readonly folders?: Readonly<Record<string, Folder>>;
  /** Bytes before the properties: 32 at the top, 8 in a recipient or an attachment. */
  readonly header?: number;
}

/** A message of Outlook ([MS-OXMSG]). */
function msg(top: Folder): Uint8Array {
  const entries: Entry[] = [];
  const add = (name: string, type: TypeEnum, { streams, folders = {}, header = 8 }: Folder): number => {
    const own: Entry = { name, type: type, length: 0, children: [] };
    const at = entries.push(own) - 1;
    const stream = (title: string, bytes: Uint8Array): void => {
      const document = { name: title, type: DOCUMENT, length: bytes.length };
      own.children?.push(entries.push({ ...document, binaryProvider: () => bytes }) - 1);
    };
    stream('__properties_version1.0', new Uint8Array(header));
    for (const [tag, value] of Object.entries(streams))
      stream(
        `__substg1.0_${tag}`,
        typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'utf16le')) : value,
      );
    for (const [title, folder] of Object.entries(folders)) own.children?.push(add(title, DIRECTORY, folder));
    return at;
  };
  add('Root Entry', ROOT, { header: 32, ...top });
  return burn(entries);
}

const MESSAGE: Folder = {
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
    const document = await extract(msg(MESSAGE), { filename: 'a.msg' });
    expectLawful(document);
    expect(document.text).toBe(
      '# Tides for März\n\n| From | Ada Reed <ada@sea.example> |\n| --- | --- |\n| To | Ben Hall <ben@sea.example> |\n\n' +
        'Here it is.\n\nBen wrote:\n\n> Which?\n\n# notes.md\n\n## Notes\n\nHigh.',
    );
    expect(document).toMatchObject({ mediaType: 'application/vnd.ms-outlook', title: 'Tides for März' });
  });

  it('has its HTML in any charset that it names', async () => {
    const page = '<meta charset="windows-1251"><p>\xcf\xf0\xe8\xeb\xe8\xe2</p>';
    const html = Uint8Array.from(page, (character) => character.charCodeAt(0));
    const { text } = await extract(msg({ streams: { '0037001F': 'x', '10130102': html } }));
    expect(text).toBe('# x\n\nПрилив');
  });

  it('is read from its RTF where it has nothing else', async () => {
    const raw = String.raw`{\rtf1\ansi High {\b tide}.}`;
    const header = new DataView(new ArrayBuffer(16));
    // Sizes, and "MELA" for text that is not compressed ([MS-OXRTFCP], section 2.1.3.1).
    for (const [at, value] of [raw.length + 12, raw.length, 0x414c454d, 0].entries())
      header.setUint32(4 * at, value, true);
    const body = Uint8Array.from([...new Uint8Array(header.buffer), ...new TextEncoder().encode(raw)]);
    const { text } = await extract(msg({ streams: { '0037001F': 'x', '10090102': body } }));
    expect(text).toBe('# x\n\nHigh **tide**.');
  });

  it('is known by its streams, and other compound files are refused', async () => {
    const other = burn([
      { name: 'Root Entry', type: ROOT, length: 0, children: [1] },
      { name: 'Contents', type: DOCUMENT, length: 3, binaryProvider: () => [1, 2, 3] },
    ]);
    await expect(extract(other, { filename: 'a.msg' })).rejects.toMatchObject({ code: 'unsupported_type' });
  });

  it('that is cut off or changed ends with a code', async () => {
    const whole = msg(MESSAGE);
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
