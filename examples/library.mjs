// The library in the process: a string in, chunks out, each with its exact place in the string.
// Run: node examples/library.mjs
import { chunkSync } from 'grainline';

const text = `# Tides

High water follows the moon. At most places it comes twice a day, about twelve hours and twenty-five minutes apart.

Springs are the large tides after new and full moon. Neaps are the small ones between them.
`;

const chunks = chunkSync(text, { size: 120, overlap: 20 });

for (const chunk of chunks) {
  console.log(`${chunk.start}–${chunk.end}: ${JSON.stringify(chunk.text)}`);
  if (text.slice(chunk.start, chunk.end) !== chunk.text)
    throw new Error('A chunk is always a slice of its text.');
}
