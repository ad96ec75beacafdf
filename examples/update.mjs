// A document that changes: only what is new is embedded and written, what is gone is deleted.
// Run: node examples/update.mjs
import { chunkSync, diff, embeddedText, toRecords } from 'grainline';

// Stand-ins for your embedder and your database.
const embed = (texts) => texts.map((text) => [text.length, 1]);
const store = new Map();

const section = (number) =>
  `## Section ${number}\n\n${`Sentence ${number} says what section ${number} is about. `.repeat(12)}`;
const before = Array.from({ length: 400 }, (_, index) => section(index));
const after = before.with(2, before[2].replace('what', 'again what'));

load('The first version', before.join('\n\n'));
load('An edit of one line', after.join('\n\n'));

function load(name, text) {
  const records = toRecords(chunkSync(text, { tier: 'structure' }), 'raw', { documentId: 'handbook.md' });
  const plan = diff([...store.values()], records);
  for (const id of plan.delete) store.delete(id);
  // The same content at another place: its vector stays.
  for (const record of plan.update) store.set(record.id, { ...store.get(record.id), ...record });
  const vectors = embed(plan.insert.map(({ text }) => embeddedText(text)));
  plan.insert.forEach((record, index) => store.set(record.id, { ...record, embedding: vectors[index] }));
  console.log(`${name}: ${plan.insert.length} embedded, ${plan.delete.length} deleted, ${store.size} stored`);
}
