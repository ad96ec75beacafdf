// The syntax of RTF (Rich Text Format Specification 1.9.1, "RTF Syntax"): groups, control words, control symbols and
// bytes of text. One pass forward without recursion.

/** Receives the tokens of a file in order. */
export interface RtfSink {
  open(): void;
  close(): void;
  /** A control word with its number, if it has one: `\fs24`. */
  word(name: string, value: number | undefined): void;
  /** A control symbol: a backslash and one character that is no letter, such as `~`; `\'hh` is a byte. */
  symbol(character: string): void;
  /** A byte of text, in the code page of its font. */
  byte(code: number): void;
}

const [BACKSLASH, OPEN, CLOSE, APOSTROPHE, MINUS, BLANK] = [0x5c, 0x7b, 0x7d, 0x27, 0x2d, 0x20];
/** Longest control word and number; longer ones are cut, as Word does. */
const MAX_WORD = 32;
const MAX_DIGITS = 10;

/** Reads a file up to its end; a file that is cut off ends where it ends. Linear. */
export function readTokens(bytes: Uint8Array, sink: RtfSink): void {
  for (let at = 0; at < bytes.length;) {
    const code = bytes[at] ?? 0;
    if (code === BACKSLASH) at = readControl(bytes, at + 1, sink);
    else {
      if (code === OPEN) sink.open();
      else if (code === CLOSE) sink.close();
      // Line ends are for the convenience of programs, and NUL is no text.
      else if (code > 0x0d || code === 0x09) sink.byte(code);
      at++;
    }
  }
}

/** Reads what follows a backslash; returns the offset behind it. */
function readControl(bytes: Uint8Array, start: number, sink: RtfSink): number {
  const first = bytes[start] ?? BLANK;
  if (first === APOSTROPHE) {
    const code = Number.parseInt(String.fromCharCode(bytes[start + 1] ?? 0, bytes[start + 2] ?? 0), 16);
    if (!Number.isNaN(code)) sink.byte(code);
    return start + 3;
  }
  if (!isLetter(first)) {
    sink.symbol(String.fromCharCode(first));
    return start + 1;
  }
  let at = start;
  while (at - start < MAX_WORD && isLetter(bytes[at])) at++;
  const name = String.fromCharCode(...bytes.subarray(start, at));
  const numberStart = at;
  if (bytes[at] === MINUS && isDigit(bytes[at + 1])) at++;
  while (at - numberStart < MAX_DIGITS && isDigit(bytes[at])) at++;
  const digits = String.fromCharCode(...bytes.subarray(numberStart, at));
  const value = digits === '' ? undefined : Number(digits);
  if (bytes[at] === BLANK) at++;
  // Binary data, in no other form than its own.
  if (name === 'bin') return at + Math.max(0, value ?? 0);
  sink.word(name, value);
  return at;
}

function isLetter(code: number | undefined): boolean {
  return code !== undefined && ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a));
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}
