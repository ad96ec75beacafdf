// DOS code pages: the encodings of plain texts of the eighties and nineties, and of files written by Windows consoles.
// The Encoding standard of the WHATWG, and so `TextDecoder`, has only the Russian one. Tables: unicode.org, MAPPINGS
// (VENDORS/MICSFT/PC); below 0x80 all are ASCII.

interface CodePage {
  /** Preferred MIME name (IANA), in lower case, and its aliases. */
  readonly names: readonly string[];
  /** The characters of the bytes from 0x80 on. */
  readonly upper: string;
}

const CODE_PAGES: readonly CodePage[] = [
  {
    names: ['ibm437', 'cp437', '437', 'cspc8codepage437'],
    upper:
      'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
      '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  },
  {
    names: ['ibm850', 'cp850', '850', 'cspc850multilingual'],
    upper:
      'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
      '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  },
  {
    names: ['ibm852', 'cp852', '852', 'cspcp852'],
    upper:
      'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐' +
      '└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  },
];

/** Decodes one of the code pages, as `TextDecoder` does; every byte has a character. */
export class CodePageDecoder {
  readonly encoding: string;
  readonly #units: Uint16Array;

  constructor({ names: [name = ''], upper }: CodePage) {
    this.encoding = name;
    this.#units = Uint16Array.from({ length: 256 }, (_, byte) =>
      byte < 0x80 ? byte : upper.charCodeAt(byte - 0x80),
    );
  }

  decode(bytes: Uint8Array): string {
    const units = new Uint16Array(bytes.length);
    for (const [at, byte] of bytes.entries()) units[at] = this.#units[byte] ?? 0;
    return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
  }
}

/** The decoder of a code page by any of its names; `undefined` for other labels. */
export function codePageDecoder(label: string): CodePageDecoder | undefined {
  const name = label.trim().toLowerCase();
  const page = CODE_PAGES.find(({ names }) => names.includes(name));
  return page === undefined ? undefined : new CodePageDecoder(page);
}
