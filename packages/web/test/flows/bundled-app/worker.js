/* global postMessage */
import { chunkSource } from 'grainline';

globalThis.onmessage = async ({ data: { file, pdfium } }) => {
  try {
    const { chunks } = await chunkSource({ bytes: file }, { measure: 'o200k_base', size: 100, pdfium });
    postMessage(chunks);
  } catch (error) {
    postMessage(error.message);
  }
};
