// Pages for the printer: pictures of them all, with their chunks, beside the page for as long as the printing lasts.
// Only the window's pages are on the screen, so the browser's own printing would show an extract.

/** Pixels a point: 144 a inch. */
const PRINT_SCALE = 2;
/** The most pages of one print: their pictures take some 300 kB each. */
const MAX_PRINTED = 100;

/** Dependencies of printing. */
export interface Printing {
  readonly first: number;
  readonly last: number;
  readonly draw: (page: number, scale: number) => Promise<Blob>;
  /** An element of a page with its chunks, without its picture. */
  readonly sheetOf: (page: number) => HTMLElement;
  readonly onPage: (done: number) => void;
  readonly signal: AbortSignal;
}

/** The pages of one print: all, or as many as are printed at once from a page on. */
export function printedPages(page: number, count: number): { readonly first: number; readonly last: number } {
  if (count <= MAX_PRINTED) return { first: 1, last: count };
  return { first: page, last: Math.min(count, page + MAX_PRINTED - 1) };
}

/** Draws the pages, opens the browser's dialog, and removes all of it. Rejects with the signal's reason. */
export async function printPages({ first, last, draw, sheetOf, onPage, signal }: Printing): Promise<void> {
  const addresses: string[] = [];
  const printed = document.createElement('div');
  printed.className = 'printed';
  printed.setAttribute('aria-hidden', 'true');
  try {
    for (let page = first; page <= last; page++) {
      onPage(page - first + 1);
      const picture = await draw(page, PRINT_SCALE).catch(() => undefined);
      signal.throwIfAborted();
      const sheet = sheetOf(page);
      if (picture !== undefined) {
        const image = document.createElement('img');
        const address = URL.createObjectURL(picture);
        addresses.push(address);
        image.src = address;
        image.alt = '';
        await image.decode();
        sheet.prepend(image);
      }
      printed.append(sheet);
    }
    signal.throwIfAborted();
    document.body.append(printed);
    await dialogClosed(signal);
  } finally {
    printed.remove();
    for (const address of addresses) URL.revokeObjectURL(address);
  }
}

/** Browsers return from `print` with the dialog closed, or, on phones, at once and fire an event later. */
function dialogClosed(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    addEventListener('afterprint', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
    window.print();
  });
}
