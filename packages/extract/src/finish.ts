// The last step of extraction: a reader's document, with the facts that all kinds have in common.
import type { Document } from '@grainline/core';
import { ExtractError } from './errors.ts';
import type { Reader } from './reader.ts';

/**
 * Names the reader of a document, and adds its headings as the outline when it has no other.
 *
 * @throws ExtractError `empty_document`
 */
export async function finishDocument(
  document: Document,
  { kind, version }: Pick<Reader, 'kind' | 'version'>,
): Promise<Document> {
  if (document.text.trim() === '') throw new ExtractError('empty_document');
  if (!('outline' in document))
    Object.defineProperty(document, 'outline', (outlineProperty ??= await loadOutline()));
  return Object.assign(document, { reader: `${kind}-${version}` });
}

/** An import takes 0.1 ms even when its module is there, which is a tenth of the time of a short document. */
let outlineProperty: PropertyDescriptor | undefined;

/** The headings as an outline, found when it is used. One getter for all. */
async function loadOutline(): Promise<PropertyDescriptor> {
  const { outlineOf } = await import('@grainline/core/blocks');
  return {
    enumerable: true,
    get(this: Document) {
      const outline = outlineOf(this.text, this.blocks, this.pages);
      return outline.length === 0 ? undefined : outline;
    },
  };
}
