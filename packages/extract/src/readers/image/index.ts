// PNG, JPEG, TIFF and WebP: one page that OCR reads. Its header is checked here before an engine decodes it.
import type { Document, Warning } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { confidenceOf, countOcrPages, pictureErrorCode, type Ocr, type OcrWord } from '../../ocr.ts';
import { choosePages } from '../../pages.ts';
import type { Reader, Source } from '../../reader.ts';
import { layOut, orderPage, streamOf, styleOf } from '../pdf/layout.ts';
import { linesOfPages } from '../pdf/ocr/lines.ts';
import { LEAST_CONFIDENCE, uncertainPages, unreadableScan } from '../pdf/ocr/warnings.ts';
import { readHeader, type ImageHeader } from './header.ts';

/** Reads a picture as a document of one page. */
export const IMAGE: Reader = {
  kind: 'image',
  version: 1,
  extensions: ['png', 'jpg', 'jpeg', 'tif', 'tiff', 'webp'],
  mediaTypes: ['image/png', 'image/jpeg', 'image/tiff', 'image/webp'],
  read: readImage,
};

/** Points in a pixel, as if the picture had 200 pixels in an inch: layout compares lengths, whatever they measure. */
const SCALE = 72 / 200;

async function readImage(source: Source): Promise<Document> {
  const header = readHeader(source.bytes);
  const { pages: frames, ...picture } = header;
  choosePages(source.pages, 1);
  if (source.ocr === undefined) throw new Error('A picture is read by the option ocr alone.');
  countOcrPages(1, source);
  const words = await wordsOf({ ...source, ocr: source.ocr }, picture);
  source.onOcrPage?.({ done: 1, total: 1 });
  const confidence = confidenceOf(words);
  if (confidence < LEAST_CONFIDENCE) throw unreadableScan(1, confidence);
  const [page] = linesOfPages([
    { words, height: Math.max(...words.map(({ bottom }) => bottom)), scale: SCALE },
  ]);
  const stream = streamOf({
    characters: '',
    lines: [],
    ...page,
    rules: [],
    dots: [],
    shapes: [],
    fieldValues: [],
  });
  const style = styleOf([stream], source);
  const { text, blocks, pages, furniture } = layOut([orderPage(stream, style)], style);
  return {
    text,
    blocks,
    pages,
    mediaType: picture.mediaType,
    ...(source.filename !== undefined && { filename: source.filename }),
    ...(furniture.length > 0 && { furniture }),
    warnings: [...framesLeftOut(frames), ...uncertainPages(new Map([[1, confidence]]))],
  };
}

async function wordsOf(
  { bytes, ocr, ocrLanguage: language, signal }: Source & { readonly ocr: Ocr },
  picture: Omit<ImageHeader, 'pages'>,
): Promise<readonly OcrWord[]> {
  try {
    return await ocr({ bytes, ...picture }, { page: 1, language, signal });
  } catch (error) {
    signal?.throwIfAborted();
    const code = pictureErrorCode(error);
    if (code === undefined) throw error;
    throw new ExtractError(code, { detail: 'the picture cannot be decoded', cause: error });
  }
}

function framesLeftOut(frames: number): Warning[] {
  if (frames === 1) return [];
  const message = `Only the first of the ${frames} pictures in this TIFF was read. Convert it to PDF to read all.`;
  return [{ code: 'pages_left_out', message }];
}
