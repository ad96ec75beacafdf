// Text in HTML. Names of documents and questions come from outside.

/** A text escaped for the content of an element or for an attribute in quotation marks. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
