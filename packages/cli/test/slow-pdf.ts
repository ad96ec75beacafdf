// A PDF that holds PDFium for hours inside one call, as `acsploit_timing.pdf` of iText's tests does: its page names one
// stream a great many times, and each time the stream passes through many filters.
import { writePdf } from '@grainline/testing/pdf-writer';

/** A PDF of about a megabyte; the time of its page grows with `times`. */
export function slowPdf(times = 200_000): Uint8Array {
  const filters = 10;
  let data = Buffer.from('q Q\n'.repeat(100), 'latin1');
  for (let level = 0; level < filters; level++) data = Buffer.from(data.toString('hex'), 'latin1');
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents[${'901 0 R '.repeat(times)}]>>`;
  const stream = `<</Length ${data.length}/Filter[${'/ASCIIHexDecode'.repeat(filters)}]>>\nstream\n${data.toString('latin1')}\nendstream`;
  return writePdf({ pages: [], kids: '900 0 R', claimedPages: 1, objects: { 900: page, 901: stream } });
}
