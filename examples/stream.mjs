// A large text, chunk by chunk, without ever holding all chunks; an AbortSignal ends it early. The signal is looked at
// every few thousand chunks, so that it costs nothing in between.
// Run: node examples/stream.mjs
import { chunkStream } from 'grainline';

const text = 'The pilot boards the ship two miles beyond the bar. '.repeat(200_000);
const enough = new AbortController();
const wanted = 10_000;

let count = 0;
let characters = 0;
try {
  for await (const chunk of chunkStream(text, { size: 500, signal: enough.signal })) {
    count++;
    characters += chunk.text.length;
    if (count === wanted) enough.abort(new Error('enough'));
  }
} catch (error) {
  if (error !== enough.signal.reason) throw error;
}

console.log(`Took ${count} chunks with ${characters} of ${text.length} characters, then stopped.`);
