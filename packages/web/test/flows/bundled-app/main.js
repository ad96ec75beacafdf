/* global document, location, URLSearchParams, Worker */
// A page as users write one: it reads a file itself, and once more in a worker.
import { chunk } from '@grainline/core';
import { extract } from '@grainline/extract';

const pdfium = new URLSearchParams(location.search).get('pdfium') ?? undefined;
const input = document.querySelector('input');
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => show('#worker', data);

input.onchange = async () => {
  const [file] = input.files;
  worker.postMessage({ file, pdfium });
  try {
    show('#page', await chunk(await extract(file, { pdfium }), { size: 400 }));
  } catch (error) {
    show('#page', error.message);
  }
};

function show(selector, value) {
  document.querySelector(selector).textContent = JSON.stringify(value);
}
