// The charset that an HTML document names for itself (HTML standard, section 13.2.3.2, "prescan").

/** The prefix in which the standard allows the declaration. */
const PRESCAN_BYTES = 1024;

/** `<meta charset="…">` and `<meta http-equiv="Content-Type" content="…; charset=…">`. */
const META_CHARSET = /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i;

/** XHTML names the charset in its first line. */
const XML_ENCODING = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w:.-]+)/i;

/**
 * The charset of the XML declaration, else of the first `<meta>` in the first 1024 bytes that has one, in lower case.
 */
export function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1')
    .decode(bytes.subarray(0, PRESCAN_BYTES))
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const charset = (XML_ENCODING.exec(start) ?? META_CHARSET.exec(start))?.[1]?.toLowerCase();
  // A document whose <meta> is readable byte by byte is not in UTF-16, in spite of its declaration.
  return charset?.startsWith('utf-16') === true ? 'utf-8' : charset;
}
