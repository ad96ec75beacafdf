import { describe, expect, it } from 'vitest';
import { metaCharset } from './charset.ts';

const charsetOf = (html: string): string | undefined => metaCharset(new TextEncoder().encode(html));

describe('the charset of a <meta>', () => {
  it('is read in both of its forms', () => {
    expect(charsetOf('<html><meta charset=Shift_JIS>')).toBe('shift_jis');
    expect(charsetOf(`<META content='text/html; charset=koi8-r' http-equiv=Content-Type>`)).toBe('koi8-r');
    expect(charsetOf('<meta name=a content=b><meta charset="windows-1252">')).toBe('windows-1252');
  });

  it('is looked for in the first 1024 bytes, outside comments', () => {
    expect(charsetOf(`${' '.repeat(1024)}<meta charset=koi8-r>`)).toBeUndefined();
    expect(charsetOf('<!-- <meta charset=koi8-r> --><meta charset=big5>')).toBe('big5');
    expect(charsetOf('charset=koi8-r')).toBeUndefined();
  });

  it('gives way to the XML declaration of XHTML', () => {
    expect(charsetOf('<?xml version="1.0" encoding="EUC-JP"?><meta charset=koi8-r>')).toBe('euc-jp');
  });

  it('cannot be UTF-16, which could not be read this way', () => {
    expect(charsetOf('<meta charset="utf-16le">')).toBe('utf-8');
  });
});
