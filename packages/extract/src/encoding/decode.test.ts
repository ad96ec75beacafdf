import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { decodeText } from './decode.ts';
import { extract } from '../extract.ts';
import { parseContentType } from '../kind.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** Texts in which UTF-16 was hard to detect. */
const LANGUAGES = {
  English: 'The quick brown fox jumps over the lazy dog, again and again. ',
  German: 'Größe und Übung, schöne Grüße. ',
  Russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю. ',
  'one Russian word': 'привет',
  Greek: 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ',
  Hebrew: 'זהו טקסט קצר בעברית. ',
  Arabic: 'هذا نص عربي قصير للتجربة. ',
  Hindi: 'यह एक छोटा हिंदी वाक्य है। ',
  'Thai without blanks': 'ภาษาไทยไม่มีช่องว่างระหว่างคำ',
  Chinese: '今天天气很好，我们去公园散步，然后回家吃饭。他说这本书很有意思，值得一读。',
  'Chinese with names in Latin': '今天 version 2.0 发布了，我们使用 Node.js 和 TypeScript 编写。',
  Japanese: 'こんにちは世界。これはPDFファイルです。カタカナも使います。',
  Korean: '안녕하세요 세계. 이것은 한국어 문장입니다. ',
  'English with emoji': 'Hello 😀 world 🎉 ',
};

it('a text longer than a string can be is too large, not empty', async () => {
  // Zero pages without any write take no memory.
  await expect(decodeText(new Uint8Array(2 ** 29))).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('longer than half a billion characters') as string,
  });
});

it('a text longer than a string can be is too large also where a decoder says so by an empty string', async () => {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode').mockReturnValue('');
  try {
    await expect(decodeText(new Uint8Array(2 ** 29), 'utf-8')).rejects.toMatchObject({ code: 'too_large' });
  } finally {
    decode.mockRestore();
  }
});

describe('encoding', () => {
  it('is UTF-8 when the bytes are valid UTF-8, whatever the transport declares', async () => {
    const { text, encoding, warnings } = await decodeText(utf8('naïve ☃ 😀'), 'windows-1251');
    expect({ text, encoding, warnings }).toEqual({ text: 'naïve ☃ 😀', encoding: 'utf-8', warnings: [] });
  });

  it('follows a byte order mark and drops it', async () => {
    for (const bytes of [utf8('\uFEFFgrün'), utf16('\uFEFFgrün'), utf16('\uFEFFgrün').swap16()]) {
      expect((await decodeText(bytes)).text).toBe('grün');
    }
  });

  it.each(Object.entries(LANGUAGES))(
    'finds UTF-16 without a byte order mark in either order: %s',
    async (_, text) => {
      for (const bytes of [utf16(text), utf16(text).swap16()]) {
        for (const repeated of [bytes, Buffer.concat(Array<Buffer>(2000).fill(bytes))]) {
          const { text: found, warnings } = await decodeText(repeated);
          expect(found.startsWith(text)).toBe(true);
          expect(found).toHaveLength(repeated.length / 2);
          expect(warnings).toEqual([]);
        }
      }
    },
  );

  it('is never UTF-16 for a few NULs in UTF-8 of any language', async () => {
    const words = Object.values(LANGUAGES).flatMap((text) => text.split(' '));
    const holed = fc
      .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom('', ' ', '\n', '\0')), { minLength: 1 })
      .map((pairs) => `\0${pairs.flat().join('')}`);
    await fc.assert(
      fc.asyncProperty(holed, async (text) => {
        const decoded = await decodeText(utf8(text));
        expect(decoded.text).toBe(text.replaceAll('\0', ''));
        expect(decoded.warnings.map(({ code }) => code)).toEqual(['nul_dropped']);
      }),
      cases(100),
    );
  });

  it.each([
    '\0 w0w',
    'a\0b',
    'a\0',
    'abc\0abc\0',
    'x\0\0y',
    'naïve\0 ☃',
    'привет\0мир',
    '\x1b[1mnaïve ☃\x1b[0m',
  ])('is UTF-8 for %j, whatever the transport declares', async (text) => {
    for (const charset of [undefined, 'windows-1251', 'iso-8859-1']) {
      expect((await decodeText(utf8(text), charset)).text).toBe(text.replaceAll('\0', ''));
    }
  });

  it('is a declared UTF-16 also where it is too short to be told', async () => {
    expect((await decodeText(utf16('да'), 'utf-16le')).text).toBe('да');
  });

  it('takes the declared charset when the bytes are not UTF-8', async () => {
    const bytes = Uint8Array.from([0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]);
    expect((await decodeText(bytes, 'KOI8-R')).text).toBe('привет');
  });

  it('passes over an unknown declared charset, and says so', async () => {
    const { text, warnings } = await decodeText(Uint8Array.from([0x63, 0x61, 0x66, 0xe9]), 'x-nonsense');
    expect(text).toBe('café');
    expect(warnings).toEqual([
      {
        code: 'encoding_guessed',
        message:
          'The declared charset "x-nonsense" is not known, and the text is not UTF-8: it was read as windows-1252, by a guess. If that is wrong, convert it to UTF-8 or declare its charset (text/plain; charset=…).',
      },
    ]);
  });

  it('is found alike whether UTF-8, an unknown charset, or nothing is declared', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(...Object.values(LANGUAGES)).map(utf16),
      fc
        .string({ unit: 'grapheme' })
        .map((text) => Buffer.concat([Buffer.from(text), Buffer.of(0xe9, 0x20)])),
      fc
        .string({ unit: 'grapheme' })
        .map((text) => Buffer.from(`<html><meta charset=koi8-r><p>${text}\xe9`, 'latin1')),
    );
    const read = async (given: Uint8Array, charset: string): Promise<unknown> => {
      const contentType = `application/octet-stream${charset}`;
      const document = await extract(given, { contentType }).catch((error: unknown) => String(error));
      const { text, encoding } = await decodeText(given, parseContentType(contentType).charset);
      return [document, text, encoding];
    };
    const withoutWhy = (value: unknown): string => JSON.stringify(value).replace(/"message":"[^:]*:/g, '');
    await fc.assert(
      fc.asyncProperty(bytes, async (given) => {
        const plain = withoutWhy(await read(given, ''));
        for (const charset of ['utf-8', 'UTF8', 'x-nonsense', 'binary'])
          expect(withoutWhy(await read(given, `; charset=${charset}`))).toBe(plain);
      }),
      cases(200),
    );
  });

  it('says why it had to guess although a charset is declared', async () => {
    const cafe = Uint8Array.from([0x63, 0x61, 0x66, 0xe9]);
    const why = async (charset: string) => (await decodeText(cafe, charset)).warnings[0]?.message;
    expect(await why('utf8')).toMatch(/^The text is declared to be UTF-8, and is not:/);
    expect(await why('big5')).toMatch(/^The text is neither UTF-8 nor big5, as is declared:/);
  });

  it('is the first of the charsets declared that the bytes bear out', async () => {
    const bytes = Uint8Array.from([0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]);
    for (const first of [undefined, 'utf-8', 'x-nonsense'])
      expect((await decodeText(bytes, first, 'koi8-r', 'windows-1251')).text).toBe('привет');
  });

  it('that is declared makes text of bytes that look like none', async () => {
    const bytes = Uint8Array.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]);
    const contentType = 'text/plain; charset=shift_jis';
    expect(await extract(bytes, { contentType })).toMatchObject({ text: 'テスト', warnings: [] });
    const binary = Uint8Array.from({ length: 200 }, (_, index) => index % 7);
    await expect(extract(binary, { contentType: 'text/plain; charset=windows-1252' })).rejects.toMatchObject({
      code: 'unsupported_type',
    });
  });

  it('that is guessed is named, with what to do where the guess is wrong; one that is declared is not', async () => {
    const russian = Buffer.from('d4e0e9eb2066696c652e74787420ede520ede0e9e4e5ed', 'hex');
    const { warnings } = await extract(russian, { filename: 'a.txt' });
    expect(warnings).toEqual([
      {
        code: 'encoding_guessed',
        message:
          'Nothing says in which encoding the text is, and it is not UTF-8: it was read as windows-1251, by a guess. If that is wrong, convert it to UTF-8 or declare its charset (text/plain; charset=…).',
      },
    ]);
    const declared = { filename: 'a.txt', contentType: 'text/plain; charset=windows-1251' };
    expect((await extract(russian, declared)).warnings).toEqual([]);
    const page = Buffer.concat([Buffer.from('<!doctype html><meta charset=windows-1251><p>'), russian]);
    expect((await extract(page, { filename: 'a.html' })).warnings).toEqual([]);
  });

  it('detects a legacy encoding that begins only after 100 kB of ASCII', async () => {
    const russian = 'Съешь же ещё этих мягких французских булок, да выпей чаю. '.repeat(20);
    const tail = Uint8Array.from(russian, (letter) => windows1251(letter));
    const { text, encoding } = await decodeText(
      Buffer.concat([Buffer.from('plain words '.repeat(9000)), tail]),
    );
    expect(encoding).toBe('windows-1251');
    expect(text.endsWith(russian)).toBe(true);
  });

  it.each([
    ['French, not Cyrillic', 'Le café est très bon, à bientôt.'],
    ['English, not Czech', 'naïve approach to the problem'],
    ['what the detector takes for an encoding that no runtime reads', 'Die Straße ist gesperrt.'],
    ['signs alone', 'Cost: £5 or 10°C'],
  ])('reads a short text in windows-1252 as such: %s', async (_, text) => {
    expect(await decodeText(Buffer.from(text, 'latin1'))).toMatchObject({ text, encoding: 'windows-1252' });
    expect((await extract(Buffer.from(text, 'latin1'), { filename: 'a.txt' })).text).toBe(text);
  });

  it('reads the quotation marks and dashes of Windows as such, not as letters of a Macintosh', async () => {
    const bytes = Buffer.from('\x93smart quotes\x94 and it\x92s \x97 well, a fact', 'latin1');
    expect((await decodeText(bytes)).text).toBe('“smart quotes” and it’s — well, a fact');
  });

  it.each([
    [
      'ibm437',
      'Le syst\x8ame a \x82t\x82 d\x82marr\x82 : \x85 bient\x93t, fran\x87ais.',
      'Le système a été démarré : à bientôt, français.',
    ],
    [
      'ibm437',
      '\xda\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xbf\n\xb3 Gr\x94\xe1e  \xb3\n\xc0\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xd9\nDie Stra\xe1e ist f\x81r \x84ltere Fahrzeuge gesperrt.',
      '┌────────┐\n│ Größe  │\n└────────┘\nDie Straße ist für ältere Fahrzeuge gesperrt.',
    ],
    [
      'ibm850',
      'Sm\x9brrebr\x9bd p\x86 bordet: \x8fse og \x9dystein drikker \x9bl p\x86 b\x86ten.',
      'Smørrebrød på bordet: Åse og Øystein drikker øl på båten.',
    ],
    [
      'ibm852',
      'Za dlouh\xec ve\x9fer p\xfde\x9fetl v\xe7echny p\xfd\xa1b\xd8hy, kter\x82 si p\x85j\x9fil v m\xd8stsk\x82 knihovn\xd8.',
      'Za dlouhý večer přečetl všechny příběhy, které si půjčil v městské knihovně.',
    ],
    [
      'macintosh',
      'Der Verfasser gr\x9f\xa7t alle, die sch\x9ane H\x8auser m\x9agen.',
      'Der Verfasser grüßt alle, die schöne Häuser mögen.',
    ],
  ])(
    'reads a text in %s, whose letters would be signs and capitals within words: %s',
    async (encoding, bytes, text) => {
      const decoded = await decodeText(Buffer.from(bytes, 'latin1'));
      expect(decoded).toMatchObject({ text, encoding });
      expect(decoded.warnings.map(({ code }) => code)).toEqual(['encoding_guessed']);
    },
  );

  it.each([
    [
      'dashes without blanks',
      'The word\x97the one word\x97and then she went\x97again\x97all the way home.',
      'The word—the one word—and then she went—again—all the way home.',
    ],
    [
      'many apostrophes',
      'don\x92t, can\x92t, it\x92s, we\x92ll, you\x92re, o\x92clock',
      'don’t, can’t, it’s, we’ll, you’re, o’clock',
    ],
    [
      'blanks that keep words together',
      'a\xa0b c\xa0d e\xa0f word\xa0word',
      'a\xa0b c\xa0d e\xa0f word\xa0word',
    ],
    ['Swedish', 'N\xe4r \xe4r det, s\xe4ger hon, l\xe4tt.', 'När är det, säger hon, lätt.'],
    ['capitals', 'Der \xc4RGER \xdcBER die GR\xd6SSE ist gro\xdf.', 'Der ÄRGER ÜBER die GRÖSSE ist groß.'],
    ['signs between figures and letters', 'a grid of 2\xd7N by 3\xd7M', 'a grid of 2×N by 3×M'],
    ['French quotation marks', '\xab Oui \xbb\n\xab Non \xbb\n', '« Oui »\n« Non »\n'],
    ['quotation marks and no letters', 'rock \x92n\x92 roll', 'rock ’n’ roll'],
    ['a capital by itself', 'The article is about Ob \xd3, a river.', 'The article is about Ob Ó, a river.'],
  ])('takes no text in windows-1252 for an older one: %s', async (_, bytes, text) => {
    expect(await decodeText(Buffer.from(bytes, 'latin1'))).toMatchObject({ text, encoding: 'windows-1252' });
  });

  it('reads the code pages of DOS where they are declared, by any of their names', async () => {
    for (const label of ['cp850', 'IBM850', ' 850 ']) {
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte).filter(
        (byte) => byte !== 0 && byte !== 13,
      );
      const { text, encoding, warnings } = await decodeText(bytes, label);
      expect(encoding).toBe('ibm850');
      expect(warnings).toEqual([]);
      expect(text).toHaveLength(254);
      expect(text.endsWith('¹³²■\u00a0')).toBe(true);
    }
    expect((await decodeText(Uint8Array.of(0x9b, 0xe3), 'cp437')).text).toBe('¢π');
  });

  it('still reads Cyrillic and Greek between Latin names as such', async () => {
    const russian = Buffer.from('d4e0e9eb2066696c652e74787420ede520ede0e9e4e5ed', 'hex');
    expect((await decodeText(russian)).text).toBe('Файл file.txt не найден');
    const greek = Buffer.from('c720476f6f676c6520e1ede1eaefdfedf9f3e520ede5e1', 'hex');
    expect((await decodeText(greek)).text).toBe('Η Google ανακοίνωσε νεα');
  });

  it('reads ISO-2022-JP, which is ASCII bytes all through', async () => {
    const bytes = Buffer.from('\x1b$B$3$s$K$A$O@$3&\x1b(B and ASCII, \x1b$B$3$l$OJ8>O$G$9!#\x1b(B', 'latin1');
    const { text, warnings } = await decodeText(bytes);
    expect(text).toContain('こんにちは世界');
    expect(warnings).toEqual([]);
  });

  it('stands U+FFFD for bytes without meaning and says so', async () => {
    const broken = Buffer.concat([
      Buffer.from('Größe und Übung, schöne Grüße. '.repeat(50)),
      Buffer.from([0xff]),
    ]);
    const { text, warnings } = await decodeText(broken, 'utf-8');
    expect(text.isWellFormed()).toBe(true);
    expect(text.includes('\uFFFD') === warnings.some(({ code }) => code === 'characters_replaced')).toBe(
      true,
    );
  });

  it('replaces a surrogate without its partner in UTF-16', async () => {
    const { text, warnings } = await decodeText(Uint8Array.from([0xff, 0xfe, 0x61, 0, 0, 0xd8, 0x62, 0]));
    expect(text).toBe('a\uFFFDb');
    expect(warnings.map(({ code }) => code)).toEqual(['characters_replaced']);
  });
});

describe('normalisation', () => {
  it('turns every line end into LF', async () => {
    expect((await decodeText(utf8('a\r\nb\rc\nd\r\r\ne'))).text).toBe('a\nb\nc\nd\n\ne');
  });

  it('drops NUL characters with a warning and keeps the text around them', async () => {
    const { text, warnings } = await decodeText(utf8('one\0two\0 three, and so on to the end'));
    expect(text).toBe('onetwo three, and so on to the end');
    expect(warnings).toEqual([{ code: 'nul_dropped', message: '2 NUL characters were left out.' }]);
  });

  it('drops a byte order mark inside the text', async () => {
    expect((await decodeText(utf8('one\uFEFFtwo'))).text).toBe('onetwo');
  });

  it('leaves no bytes as no text', async () => {
    expect((await decodeText(new Uint8Array())).text).toBe('');
  });
});

/** Russian letters in windows-1251; the alphabet stands there in order. */
function windows1251(letter: string): number {
  if (letter === 'ё') return 0xb8;
  const code = letter.charCodeAt(0);
  return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
}

describe('UTF-8 with a slip', () => {
  const lines = (...parts: readonly (string | number)[]): Uint8Array =>
    Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : [part])));

  it.each([
    [
      'a line in another encoding',
      lines('über Größe, naïve café\n', 'bad ', 0xe9, '\n'),
      'über Größe, naïve café\nbad \uFFFD\n',
    ],
    ['its last character cut off', lines('Привет, мир', 0xd0), 'Привет, мир\uFFFD'],
  ])('is read as UTF-8, and says so: %s', async (_, bytes, text) => {
    for (const charset of [undefined, 'utf-8', 'windows-1252']) {
      const decoded = await decodeText(bytes, charset);
      expect(decoded).toMatchObject({ text, encoding: 'utf-8' });
      expect(decoded.warnings.map(({ code }) => code)).toEqual(['characters_replaced']);
    }
  });

  it('is told from encodings in which some bytes mean something in UTF-8, too', async () => {
    const text = 'Zażółć gęślą jaźń, łódź';
    const latin2 = Uint8Array.from(text, (character) => {
      const at = 'ążółćęśźńŁ'.indexOf(character);
      return at === -1
        ? character.charCodeAt(0)
        : ([0xb1, 0xbf, 0xf3, 0xb3, 0xe6, 0xea, 0xb6, 0xbc, 0xf1, 0xa3][at] ?? 0);
    });
    expect((await decodeText(latin2, 'iso-8859-2')).text).toBe(text);
  });
});
