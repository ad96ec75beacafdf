// `grainline eval`: documents and questions in, a report out, and every way to use it wrongly.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeStream } from './fake-io.ts';
import { folder, get, grainline, put, useFolder } from './command.ts';

useFolder();

const SECTIONS = 44;
const FACTS = Array.from(
  { length: SECTIONS },
  (_, index) => `Ship k${index} carries salt to port p${index}.`,
);

/** A document of facts among filler, and a question for each. */
function putBook(): void {
  const filler = 'The sea is wide, and the wind is cold in the morning. '.repeat(6);
  put(
    'docs/book.md',
    FACTS.map((fact, index) => `## Part ${index} of the book\n\n${filler}${fact}\n\n`).join(''),
  );
  put('docs/other.txt', filler);
  put(
    'q.jsonl',
    FACTS.map((answer, index) =>
      JSON.stringify({ question: `What does ship k${index} carry?`, document: 'book.md', answer }),
    ).join('\n'),
  );
}

const QUICK = '--tier free,structure --size 300,4000';

describe('grainline eval', () => {
  it('prints measures for every setting and search, and a recommendation', async () => {
    putBook();
    const { code, stdout, stderr } = await grainline(
      `eval docs --questions q.jsonl ${QUICK} --blend 0,0.5 --top 3`,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('2 documents with');
    expect(stdout).toContain(`Questions of yours: ${SECTIONS}.`);
    for (const name of [
      'free 300',
      'structure 300',
      'free 4000',
      'structure 4000',
      'structure 4000 blend 0.5',
      'recall@3',
    ])
      expect(stdout).toContain(name);
    expect(stdout).toMatch(/recommendation for vectors|For vectors/i);
  });

  it('gives JSON, Markdown and HTML', async () => {
    putBook();
    const command = `eval docs/book.md --questions q.jsonl --tier structure --size 300 --search bm25`;
    const { records } = await grainline(`${command} --json`);
    expect(records()).toMatchObject([
      { unit: 'characters', k: 5, questions: { given: SECTIONS }, settings: [{ name: 'structure 300' }] },
    ]);
    expect((await grainline(`${command} --markdown`)).stdout).toMatch(/^\| structure 300 \|/m);
    expect((await grainline(`${command} --html`)).stdout).toMatch(/^<!doctype html>[^]*<svg[^]*<\/html>\n$/);
  });

  it('counts sizes in tokens', async () => {
    putBook();
    const { records } = await grainline(
      'eval docs --questions q.jsonl --tier structure --unit tokens --encoding cl100k --search bm25 --json',
    );
    expect(records()[0]).toMatchObject({
      unit: 'tokens',
      tokenizer: 'cl100k',
      settings: [128, 256, 512].map((size) => ({ size })),
    });
  });

  it('makes questions, writes them, and takes them back', async () => {
    putBook();
    const made = await grainline(`eval docs --save-questions made.jsonl ${QUICK} --search bm25 --json`);
    expect(get('made.jsonl').split('\n').length).toBeGreaterThan(20);
    const again = await grainline(`eval docs --questions made.jsonl ${QUICK} --search bm25 --json`);
    expect(again.stdout).toBe(made.stdout);
    const kept = await grainline(`eval docs --save-questions made.jsonl ${QUICK}`);
    expect([kept.code, kept.stderr]).toEqual([
      1,
      expect.stringMatching(
        /made\.jsonl: there is a file of that name; name another file\. \(questions_not_written\)/,
      ),
    ]);
  });

  it('says before the work that the questions are too few, unless it is quiet', async () => {
    putBook();
    put('few.jsonl', get('q.jsonl').split('\n').slice(0, 39).join('\n'));
    const command = 'eval docs --questions few.jsonl --tier structure --size 300 --search bm25';
    // The peer is missing, which ends the work at its beginning.
    const { stderr } = await grainline(`${command} --peers chonkie`);
    expect(stderr).toMatch(
      /^grainline: 39 questions are too few for a recommendation; give 40 or more\. --save-questions FILE writes them down to add to, and --questions FILE takes them\.\n/,
    );
    expect((await grainline(`${command} --quiet`)).stderr).toBe('');
    expect((await grainline(command.replace('few', 'q'))).stderr).toBe('');
  });

  it('says what to do where no question can be made, or only some from headings', async () => {
    put('plain.md', 'The sea is wide.');
    expect(await grainline('eval plain.md')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'grainline: The documents hold no table cell, definition or heading to make a question from; write some, as grainline eval --help shows, and add --questions FILE. (no_questions)\n',
    });
    const filler = 'The sea is wide, and the wind is cold in the morning. '.repeat(6);
    put('headed.md', `# Waters of the harbour\n\n${filler}\n\n## Winds of the northern coast\n\n${filler}\n`);
    const { stderr } = await grainline('eval headed.md --tier structure --size 300 --search bm25');
    expect(stderr).toMatch(
      /^grainline: Questions from headings alone are too few for a recommendation; give 40 or more\. /,
    );
  });

  it('refuses a file of questions with the line of each issue', async () => {
    putBook();
    put(
      'bad.jsonl',
      [
        '{"question":"a","document":"book.md","answer":"nowhere"}',
        '',
        '{"question":"b","document":"book.md","span":[5,2]}',
        'x',
      ].join('\n'),
    );
    const { code, stdout, stderr } = await grainline('eval docs --questions bad.jsonl');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^grainline: bad\.jsonl, line 1: the answer "nowhere" does not occur.*\ngrainline: bad\.jsonl, line 3: the span \[5, 2\].*\ngrainline: bad\.jsonl, line 4: it is no JSON\.\nRun grainline eval --help/,
    );
    expect((await grainline('eval docs --questions none.jsonl')).stderr).toContain(
      'The questions none.jsonl cannot be read: there is no such file',
    );
  });

  it.each([
    ['eval', /Name the documents/],
    ['eval docs --tier stucture', /--tier must be one of free, .*Did you mean structure\?/],
    ['eval docs --tier ai', /--tier must be one of/],
    ['eval docs --peers llama', /--peers must be one of langchain, /],
    ['eval docs --search grep', /--search must be one of bm25, vectors/],
    ['eval docs --size 100,b', /--size must be numbers .* but has "b"/],
    ['eval docs --size 100 --overlap 100', /--overlap must be an integer from 0 to 99/],
    ['eval docs --blend 1.5', /--blend must be numbers from 0 to 1, but has 1\.5/],
    ['eval docs --top 0', /--top must be an integer from 1/],
    ['eval docs --json --html', /Only one of --json, --html/],
    ['eval docs --encoding cl100k', /--encoding goes with --unit tokens/],
    ['eval docs --context none', /--context must be/],
  ])('refuses %s', async (argv, message) => {
    putBook();
    const { code, stderr } = await grainline(argv);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(folder, 'made.jsonl'))).toBe(false);
  });

  it('goes on without a document that cannot be read, and says so', async () => {
    putBook();
    put('docs/broken.pdf', 'no PDF');
    const { code, stdout, stderr } = await grainline(
      'eval docs nothing.md --questions q.jsonl --tier structure --size 300 --search bm25',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/nothing\.md: There is no such file/);
    expect(stdout).toContain('documents with');
    expect((await grainline('eval nothing.md')).code).toBe(1);
  });

  it('shows its progress on a terminal, and prints its help', async () => {
    putBook();
    const stderr = fakeStream({ isTTY: true, columns: 100 });
    await grainline('eval docs --questions q.jsonl --tier free,structure --size 300 --search bm25', {
      stderr,
    });
    expect(stderr.text()).toContain('docs/book.md');
    expect(stderr.text()).toContain('evaluation');
    const help = (await grainline('eval --help')).stdout;
    expect(help).toContain('--save-questions FILE');
    expect(help).toMatch(/chonkie +Chonkie recursive, of @chonkiejs\/core/);
  });
});
