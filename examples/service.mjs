// A client of a running server, with nothing but fetch: uploads a file, sends text as JSON, follows the link of a
// large result. Run: node examples/service.mjs http://127.0.0.1:8402
const server = process.argv[2] ?? 'http://127.0.0.1:8402';

/** The answer as JSON; an error of the service as an exception with its code. */
async function answer(response) {
  const body = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${body.code}: ${body.message}`);
  return body;
}

/** The chunks of an answer. 100 and more stand behind a link that lives for an hour. */
async function chunksOf(result) {
  if (result.download_url === undefined) return result.chunks;
  return (await answer(await fetch(result.download_url))).chunks;
}

const form = new FormData();
form.append('file', new Blob(['A file is sent as it is.\n\nThe service finds out what it is.']), 'notes.txt');
const uploaded = await answer(await fetch(`${server}/chunk/demo`, { method: 'POST', body: form }));
console.log(`Upload: ${uploaded.total_chunks} chunks of ${uploaded.metadata.filename}`);

const text = Array.from(
  { length: 150 },
  (_, day) => `Day ${day + 1}: wind ${day % 9} Beaufort, visibility good, tide falling until noon.`,
).join('\n\n');
const large = await answer(
  await fetch(`${server}/chunk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ tier: 'free', text, chunk_size: 100, output_format: 'qdrant' }),
  }),
);
const chunks = await chunksOf(large);
console.log(
  `Text: ${large.total_chunks} chunks${large.download_url === undefined ? '' : `, fetched from ${large.download_url}`}`,
);
if (chunks.length !== large.total_chunks) throw new Error('The link must lead to every chunk.');
