// A load against its law: whatever happened before, killed loads included, a store in step with a source equals a fresh
// store that was loaded once.
import { type Embed, type StoreSpec, VectorStoreError } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { wordEmbedder } from '@grainline/testing/embedders';
import { createMemoryStore, type MemoryStore } from '@grainline/testing/memory-store';
import { rejectionOf } from '@grainline/testing/rejection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDocument } from './cut-document.ts';
import { load, type LoadOptions, type LoadPorts } from './load.ts';
import type { LoadSource, SourceEntry, SourceIssue } from './source.ts';
import { textsToEmbed } from './vectors.ts';

/** Texts by name. */
type Texts = Readonly<Record<string, string>>;

/** A source of texts that counts its reads. The time of a text is that of its content, unless `times` has another. */
interface TextSource extends LoadSource {
  readonly reads: string[];
}

interface SourceChanges extends Partial<Pick<LoadSource, 'id' | 'isWhole'>> {
  readonly times?: Readonly<Record<string, number>>;
  /** A name without a time is always read. */
  readonly timeless?: boolean;
  readonly issues?: readonly SourceIssue[];
}

function textSource(texts: Texts, changes: SourceChanges = {}): TextSource {
  const { id = 'docs', isWhole = true, times = {}, timeless = false, issues = [] } = changes;
  const reads: string[] = [];
  return {
    id,
    isWhole,
    reads,
    // eslint-disable-next-line @typescript-eslint/require-await
    async *list() {
      yield* issues;
      for (const [name, text] of Object.entries(texts)) {
        const bytes = new TextEncoder().encode(text);
        const entry: SourceEntry = {
          documentId: name,
          shown: name,
          filename: name,
          size: bytes.length,
          modifiedMs: timeless ? undefined : (times[name] ?? timeOf(text)),
          read: () => {
            reads.push(name);
            return Promise.resolve({ bytes });
          },
        };
        yield entry;
      }
    },
  };
}

function timeOf(text: string): number {
  let time = 17;
  for (const unit of text) time = (time * 31 + (unit.codePointAt(0) ?? 0)) % 1e9;
  return time;
}

const EMBEDDING: StoreSpec['embedding'] = { model: 'words', dimensions: 48, distance: 'cosine', blend: 0.4 };
const VERSIONS = { cutter: '1', settings: 'structure-0', markdown: '1' };
const OPTIONS: LoadOptions = { embedding: EMBEDDING, versions: VERSIONS, prune: 'all' };
const CUTTING = { tier: 'structure', size: 120 } as const;

function ports(store: MemoryStore, changes: Partial<LoadPorts> = {}): LoadPorts {
  return { store, embed: wordEmbedder, cut: (document) => cutDocument(document, CUTTING), ...changes };
}

async function freshStore(texts: Texts, options = OPTIONS): Promise<MemoryStore> {
  const store = await createMemoryStore();
  await load(textSource(texts), ports(store), options);
  return store;
}

const WORDS = ['tide', 'harbour', 'pilot', 'moon', 'ship', 'quay', 'storm', 'lantern', 'rope', 'anchor'];
const paragraph = fc
  .tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9))
  .map(
    (picks) => `The ${picks.map((pick) => WORDS[pick]).join(' and the ')} wait here for the next high water.`,
  );
/** Every third paragraph begins a section, whose name no other section of the document has. */
const text = fc
  .array(paragraph, { minLength: 1, maxLength: 9 })
  .map((all) => all.map((each, at) => (at % 3 === 2 ? `## Part ${at}\n\n${each}` : each)).join('\n\n'));
const texts: fc.Arbitrary<Texts> = fc.dictionary(fc.constantFrom('a.md', 'b.md', 'c.md', 'd.md'), text, {
  minKeys: 1,
  maxKeys: 4,
  noNullPrototype: true,
});

describe('cutDocument', () => {
  it('takes a document that a reader in a thread finds empty for one without chunks', async () => {
    const readBytes = () => Promise.reject(Object.assign(new Error('No text.'), { code: 'empty_document' }));
    const document = { documentId: 'blank.pdf', bytes: new Uint8Array(1) };
    const { records, warnings } = await cutDocument(document, CUTTING, { readBytes });
    expect(records).toEqual([]);
    expect(warnings).toEqual([{ code: 'empty_document', message: 'No text.' }]);
  });
});

/** A killed process: nothing after it reaches the store. */
class Kill extends Error {}

describe('load', () => {
  it('makes a store that equals a fresh one, whatever was loaded and killed before', async () => {
    const step = fc.record({
      texts,
      killAt: fc.option(fc.nat(60), { nil: undefined }),
      atOnce: fc.integer({ min: 1, max: 3 }),
    });
    const law = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      texts,
      async (steps, last) => {
        let writes = Infinity;
        let isDead = false;
        const store = await createMemoryStore({
          beforeWrite: () => {
            if (isDead || writes-- <= 0) {
              isDead = true;
              throw new Kill();
            }
          },
        });
        for (const { texts: version, killAt, atOnce } of steps) {
          writes = killAt ?? Infinity;
          isDead = false;
          await load(textSource(version), ports(store), { ...OPTIONS, atOnce, owner: 'one' }).catch(
            (error: unknown) => {
              if (!(error instanceof Kill)) throw error;
            },
          );
        }
        writes = Infinity;
        isDead = false;
        await load(textSource(last), ports(store), { ...OPTIONS, owner: 'one' });
        expect(store.contents()).toBe((await freshStore(last)).contents());
        // And it stays so, without a read.
        const again = textSource(last);
        const { chunks } = await load(again, ports(store), { ...OPTIONS, owner: 'one' });
        expect(again.reads).toEqual([]);
        expect(chunks).toEqual({ added: 0, reembedded: 0, moved: 0, kept: 0, removed: 0 });
      },
    );
    await fc.assert(law, cases(200));
  });

  it('removes the chunks of a document whose entry a kill has left incomplete', async () => {
    const store = await freshStore({ 'a.md': 'One tide.', 'b.md': 'Two tides.' });
    await store.removeEntries(['a.md']);
    await load(textSource({ 'a.md': 'Another tide.', 'b.md': 'Two tides.' }), ports(store), OPTIONS);
    const expected = await freshStore({ 'a.md': 'Another tide.', 'b.md': 'Two tides.' });
    expect(store.contents()).toBe(expected.contents());
  });

  it('looks at what another load has stored since this one found the store empty', async () => {
    const store = await createMemoryStore();
    const prepare: MemoryStore['prepare'] = async (...given) => {
      await load(textSource({ 'a.md': 'One tide.' }), ports(store), OPTIONS);
      return store.prepare(...given);
    };
    await load(textSource({ 'a.md': 'Another tide.' }), ports({ ...store, prepare }), OPTIONS);
    expect(store.contents()).toBe((await freshStore({ 'a.md': 'Another tide.' })).contents());
  });

  it('embeds the texts of an edit and those beside them, and no others', async () => {
    const parts = Array.from(
      { length: 40 },
      (_, at) =>
        `Part ${at} speaks of the ${WORDS[at % 10]} and of number ${at * at}, at length and in its own words.`,
    );
    const before = parts.join('\n\n');
    const after = parts
      .with(20, 'Something else entirely stands in the middle now, of about the same length as before.')
      .join('\n\n');
    const embedded: string[] = [];
    const embed: Embed = (all, run) => {
      embedded.push(...all);
      return wordEmbedder(all, run);
    };
    const store = await createMemoryStore();
    const first = await load(textSource({ 'a.md': before }), ports(store, { embed }), OPTIONS);
    expect(embedded).toHaveLength(first.chunks.added);
    embedded.length = 0;
    const {
      documents,
      chunks,
      embedded: count,
    } = await load(textSource({ 'a.md': after }), ports(store, { embed }), OPTIONS);
    expect(documents).toMatchObject({ changed: 1, added: 0 });
    expect(chunks).toMatchObject({ added: 1, reembedded: 2, removed: 1 });
    expect(embedded).toHaveLength(5);
    expect(count).toBe(5);
    expect(embedded.filter((piece) => piece.includes('Something else'))).toHaveLength(1);
    expect(store.contents()).toBe((await freshStore({ 'a.md': after })).contents());
  });

  it('embeds nothing across a heading', async () => {
    const part = (title: string, word: string): string =>
      `# ${title}\n\n${Array.from({ length: 6 }, (_, at) => `The ${word} of day ${at} waits at quay ${at} for the high water.`).join('\n\n')}`;
    const before = [part('Tides', 'tide'), part('Ships', 'ship')].join('\n\n');
    const after = before.replace('The ship of day 0', 'A vessel of day 0');
    const store = await freshStore({ 'a.md': before });
    const embedded: string[] = [];
    const embed: Embed = (all, run) => {
      embedded.push(...all);
      return wordEmbedder(all, run);
    };
    await load(textSource({ 'a.md': after }), ports(store, { embed }), OPTIONS);
    expect(embedded.some((piece) => piece.includes('A vessel'))).toBe(true);
    expect(store.contents()).toBe((await freshStore({ 'a.md': after })).contents());
    const plan = { texts: ['a', 'b', 'c'], sections: ['A', 'B', 'B'], wanted: [1] };
    expect(textsToEmbed(plan, 0.4)).toEqual(['b', 'c']);
    expect(textsToEmbed({ ...plan, sections: [undefined, undefined, undefined] }, 0.4)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('reads a file again whose time or size differs, and cuts it only when its content does', async () => {
    const store = await createMemoryStore();
    const cut: string[] = [];
    const counting = ports(store, {
      cut: (document) => {
        cut.push(document.documentId);
        return cutDocument(document, CUTTING);
      },
    });
    const version = { 'a.md': 'One tide.', 'b.md': 'Two tides.' };
    await load(textSource(version), counting, OPTIONS);
    const touched = textSource(version, { times: { 'b.md': 5 } });
    const { documents } = await load(touched, counting, OPTIONS);
    // Documents are in work together, so the second may be cut first.
    expect([touched.reads, cut.toSorted(), documents]).toMatchObject([
      ['b.md'],
      ['a.md', 'b.md'],
      { same: 1, unread: 1 },
    ]);
    const settled = textSource(version, { times: { 'b.md': 5 } });
    await load(settled, counting, OPTIONS);
    expect(settled.reads).toEqual([]);
    const timeless = textSource(version, { timeless: true });
    expect((await load(timeless, counting, OPTIONS)).documents).toMatchObject({ same: 2, unread: 0 });
    expect(cut.toSorted()).toEqual(['a.md', 'b.md']);
  });

  it('removes vanished documents when told to, few of them, after a complete listing', async () => {
    const all = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`${at}.md`, `Tide ${at} is high.`]),
    );
    const without = (count: number): Texts => Object.fromEntries(Object.entries(all).slice(count));
    const store = await freshStore(all);
    const run = (given: Texts, prune: LoadOptions['prune'], changes: SourceChanges = {}) =>
      load(textSource(given, changes), ports(store), { ...OPTIONS, prune });
    expect(await run(without(2), undefined)).toMatchObject({ vanished: 2, pruned: 0, refused: false });
    expect(await run(without(3), 'few')).toMatchObject({ vanished: 3, pruned: 0, refused: true });
    const issue = { shown: 'closed', error: new Error('permission denied'), hides: true };
    expect(await run(without(2), 'all', { issues: [issue] })).toMatchObject({ vanished: 0, pruned: 0 });
    expect(await run(without(2), 'all', { isWhole: false })).toMatchObject({ vanished: 0, pruned: 0 });
    expect(await run(without(2), 'all', { id: 'other' })).toMatchObject({ vanished: 0 });
    expect(store.manifest.size).toBe(10);
    await run(all, 'few');
    expect(await run(without(2), 'few')).toMatchObject({ vanished: 2, pruned: 2, prunedChunks: 2 });
    expect(store.contents()).toBe((await freshStore(without(2))).contents());
    expect(await run(without(7), 'all')).toMatchObject({ pruned: 5 });
    expect(store.contents()).toBe((await freshStore(without(7))).contents());
  });

  it('removes vanished documents by few calls, in a dry run by none that writes', async () => {
    const all = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}.md`, `Tide ${at} is high.\n\nAnd ${at} is low.`]),
    );
    const store = await freshStore(all);
    const calls: string[] = [];
    const counted = new Proxy(store, {
      get: (own, name, receiver): unknown => {
        if (['list', 'putEntries', 'remove', 'removeEntries'].includes(String(name)))
          calls.push(String(name));
        return Reflect.get(own, name, receiver);
      },
    });
    const one = textSource({ '7.md': all['7.md'] ?? '' });
    const dry = await load(one, ports(counted), { ...OPTIONS, dryRun: true });
    expect([dry.pruned, calls]).toEqual([59, []]);
    expect(await load(one, ports(counted), OPTIONS)).toEqual(dry);
    expect(calls).toEqual(['putEntries', 'remove', 'removeEntries']);
    expect(store.contents()).toBe((await freshStore({ '7.md': all['7.md'] ?? '' })).contents());
  });

  it('leaves the documents of other sources alone, and takes over those that it lists', async () => {
    const store = await createMemoryStore();
    await load(
      textSource({ 'a.md': 'One.', 'x.md': 'Two.' }, { id: 'files', isWhole: false }),
      ports(store),
      OPTIONS,
    );
    const folder = textSource({ 'a.md': 'One.' });
    await load(folder, ports(store), OPTIONS);
    expect([...store.manifest.values()].map(({ documentId, source }) => [documentId, source]).sort()).toEqual(
      [
        ['a.md', 'docs'],
        ['x.md', 'files'],
      ],
    );
    expect(folder.reads).toEqual([]);
    await load(textSource({ 'a.md': 'Three.' }, { id: 'files', isWhole: false }), ports(store), OPTIONS);
    expect(store.manifest.get('a.md')?.source).toBe('docs');
  });

  it('embeds tables in words, and stores them as they are', async () => {
    const table = '| Pier | Depth |\n| --- | --- |\n| North | 3 m |';
    const sent: string[] = [];
    const embed: Embed = (all, run) => {
      sent.push(...all);
      return wordEmbedder(all, run);
    };
    const store = await createMemoryStore();
    const countTokens = ({ length }: string): number => length;
    const { tokens } = await load(
      textSource({ 'a.md': table }),
      ports(store, { embed, countTokens }),
      OPTIONS,
    );
    expect([sent, tokens]).toEqual([['North, Depth: 3 m'], 17]);
    expect(store.contents()).toContain(JSON.stringify(table));
  });

  it('writes nothing in a dry run, whose counts are those of the load', async () => {
    const law = fc.asyncProperty(texts, texts, async (before, after) => {
      const store = await freshStore(before);
      const contents = store.contents();
      const dry = await load(textSource(after), ports(store), { ...OPTIONS, dryRun: true });
      expect(store.contents()).toBe(contents);
      expect(await load(textSource(after), ports(store), OPTIONS)).toEqual(dry);
      const empty = await createMemoryStore();
      const first = await load(textSource(after), ports(empty), { ...OPTIONS, dryRun: true });
      expect(await empty.inspect()).toBeUndefined();
      expect(await load(textSource(after), ports(empty), OPTIONS)).toEqual(first);
    });
    await fc.assert(law, cases(40));
  });

  it('counts the tokens of the texts to embed', async () => {
    const store = await createMemoryStore();
    const countTokens = (piece: string): number => piece.split(/\s+/).length;
    const dry = { ...OPTIONS, dryRun: true };
    const { tokens } = await load(
      textSource({ 'a.md': 'One two three.' }),
      ports(store, { countTokens }),
      dry,
    );
    expect(tokens).toBe(3);
  });

  it('reads the documents of another version again, those of other readers not, or none when told so', async () => {
    const version = { 'a.md': 'One tide.', 'b.txt': 'Two tides.' };
    const versions = { ...VERSIONS, txt: '1' };
    const store = await createMemoryStore();
    const listed: number[] = [];
    const run = async (changes: Partial<LoadOptions>) => {
      const source = textSource(version);
      const log = { onListed: (_: unknown, outdated: number) => void listed.push(outdated) };
      await load(source, ports(store), { ...OPTIONS, versions, log, ...changes });
      return source.reads;
    };
    expect(await run({})).toEqual(['a.md', 'b.txt']);
    expect(await run({ versions: { ...versions, txt: '2' }, keepVersion: true })).toEqual([]);
    // The reader of the sources has version 1, so that the entry stays as it is.
    expect(await run({ versions: { ...versions, txt: '2' } })).toEqual(['b.txt']);
    expect(await run({ versions: { ...versions, settings: 'free-1' } })).toEqual(['a.md', 'b.txt']);
    expect(listed).toEqual([0, 0, 1, 2]);
  });

  it('lists documents that cannot be read, and loads the others', async () => {
    const store = await freshStore({ 'b.md': 'Stored.' });
    const shown: string[] = [];
    const source = textSource({ 'a.md': 'One.', 'b.md': '%PDF-1.7 and no more', 'c.md': 'Three.' });
    const { documents } = await load(source, ports(store), {
      ...OPTIONS,
      log: {
        onIssue: (issue) => void shown.push(`${issue.shown}: ${(issue.error as { code: string }).code}`),
      },
    });
    expect(documents).toMatchObject({ added: 2, failed: 1 });
    expect(shown).toEqual(['b.md: corrupted']);
    // Its last readable version stays.
    expect([...store.records.values()].map(({ document }) => document).sort()).toEqual([
      'One.',
      'Stored.',
      'Three.',
    ]);
  });

  it('keeps no chunks of a document that has become empty, and reads it once', async () => {
    const store = await freshStore({ 'a.md': 'One.', 'b.md': 'Stored.' });
    const emptied = { 'a.md': 'One.', 'b.md': ' ', 'c.md': '' };
    const warnings: string[] = [];
    const { documents, chunks } = await load(textSource(emptied), ports(store), {
      ...OPTIONS,
      log: { onWarning: ({ code }, { shown }) => void warnings.push(`${shown}: ${code}`) },
    });
    expect(documents).toMatchObject({ added: 1, changed: 1, unread: 1, failed: 0 });
    expect(chunks).toMatchObject({ added: 0, removed: 1 });
    expect(warnings.sort()).toEqual(['b.md: empty_document', 'c.md: empty_document']);
    expect(store.contents()).toBe((await freshStore(emptied)).contents());
    const again = textSource(emptied);
    await load(again, ports(store), OPTIONS);
    expect(again.reads).toEqual([]);
    // A reader of another version may find text, whatever its kind.
    await load(again, ports(store), { ...OPTIONS, versions: { ...VERSIONS, markdown: '2', pdf: '2' } });
    expect(again.reads.sort()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('leaves out a document whose text the embedder rejects, and ends when the embedder is away', async () => {
    const store = await createMemoryStore();
    const failing =
      (code: string): Embed =>
      (all, run) =>
        all.some((piece) => piece.includes('bad'))
          ? Promise.reject(Object.assign(new Error(code), { code }))
          : wordEmbedder(all, run);
    const version = { 'a.md': 'One.', 'b.md': 'A bad one.', 'c.md': 'Three.' };
    const { documents } = await load(
      textSource(version),
      ports(store, { embed: failing('refused') }),
      OPTIONS,
    );
    expect(documents).toMatchObject({ added: 2, failed: 1 });
    expect([...store.manifest.keys()].sort()).toEqual(['a.md', 'c.md']);
    const away = load(textSource(version), ports(store, { embed: failing('unavailable') }), OPTIONS);
    await expect(away).rejects.toThrow('unavailable');
    await load(textSource(version), ports(store), OPTIONS);
    expect(store.contents()).toBe((await freshStore(version)).contents());
  });

  it('is refused while another process loads the source, and for a store of another embedder', async () => {
    const store = await freshStore({ 'a.md': 'One.' });
    const contents = store.contents();
    const lock = await store.lock('docs', { owner: 'other' });
    const source = textSource({ 'a.md': 'Two.' });
    const refused = await rejectionOf(load(source, ports(store), OPTIONS), VectorStoreError);
    expect([refused.code, source.reads]).toEqual(['locked', []]);
    await load(textSource({ 'z.md': 'Other.' }, { id: 'wiki' }), ports(store), { ...OPTIONS, prune: 'keep' });
    await lock.release();
    const other = { ...OPTIONS, embedding: { ...EMBEDDING, model: 'letters' } };
    expect((await rejectionOf(load(source, ports(store), other), VectorStoreError)).code).toBe(
      'other_embedder',
    );
    await store.remove(
      [...store.records.values()].filter(({ document }) => document === 'Other.').map(({ id }) => id),
    );
    await store.removeEntries(['z.md']);
    expect(store.contents()).toBe(contents);
  });

  it('reads no more documents at once than it should, and stops when it is aborted', async () => {
    const version = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.md`, `Tide ${at}.`]));
    const store = await createMemoryStore();
    let [now, most] = [0, 0];
    const full = Promise.withResolvers<undefined>();
    const controller = new AbortController();
    const reason = new Error('enough');
    const slow = ports(store, {
      async cut(document) {
        most = Math.max(most, ++now);
        // The first ones wait for one another, and no further one joins them.
        if (now === 3) full.resolve(undefined);
        await full.promise;
        now--;
        if (document.documentId === '9.md') controller.abort(reason);
        return cutDocument(document, CUTTING);
      },
    });
    await expect(
      load(textSource(version), slow, { ...OPTIONS, atOnce: 3, signal: controller.signal }),
    ).rejects.toBe(reason);
    expect(most).toBe(3);
    await load(textSource(version), ports(store), OPTIONS);
    expect(store.contents()).toBe((await freshStore(version)).contents());
  });
});
