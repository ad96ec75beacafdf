// Reads a gold file, checks its form, counts it, and scores Intl.Segmenter on it. node check.mjs              the table
// of sentences.gold.txt node check.mjs --file unseen.gold.txt   the other file; goes with every other option node
// check.mjs --by-kind    F1 of Intl.Segmenter per kind of case (the word before the colon of "# why") node check.mjs
// --errors de  its mistakes in one language (+ missed, - invented) node check.mjs --review     places worth a second
// look when the file is edited node check.mjs --splitter ./mine.mjs   scores another splitter too: default export
// (text, locale) => ends of sentences
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

export const MARK = '\u23D0';
const BLANK = /\s/;

/**
 * The cases of the file: text without marks, and the sorted UTF-16 offsets at which a sentence ends (the last one left
 * out).
 */
export function parseGold(source) {
  const cases = [];
  let lang = '',
    lines = [],
    first = 0;
  const close = () => {
    const why = [];
    while (lines.length && (lines[0].startsWith('# ') || lines[0] === '')) why.push(lines.shift());
    while (lines.length && lines.at(-1) === '') lines.pop();
    if (lines.length)
      cases.push({
        lang,
        line: first,
        why: why.join('\n').replace(/^# /gm, '').trim(),
        ...unmark(lines.join('\n')),
      });
    lines = [];
  };
  source.split('\n').forEach((line, i) => {
    if (line.startsWith('## ')) {
      close();
      lang = line.split(' ')[1];
      first = i + 2;
    } else if (line === '---') {
      close();
      first = i + 2;
    } else if (lang) lines.push(line);
  });
  close();
  return cases;
}

function unmark(marked) {
  const parts = marked.split(MARK),
    ends = [];
  let at = 0;
  for (const part of parts.slice(0, -1)) ends.push((at += part.length));
  return { marked, text: parts.join(''), ends };
}

/**
 * A boundary anywhere in a blank run counts as lying before that run; the start and end of the text are no boundaries.
 */
export function normalise(text, offsets) {
  const end = text.trimEnd().length,
    out = new Set();
  for (let p of offsets) {
    while (p > 0 && BLANK.test(text[p - 1])) p--;
    if (p > 0 && p < end) out.add(p);
  }
  return out;
}

export function score(gold, found) {
  let tp = 0;
  for (const p of found) if (gold.has(p)) tp++;
  return { tp, fp: found.size - tp, fn: gold.size - tp };
}

// An end mark with the closing marks that follow it; French puts a blank before its closing guillemet.
const END = /[.!?…。！？｡．؟۔।॥]+(?:[\s]?»|[”“’"'›)\]）」』》〉>])*/gu;
const SAME_TOKEN = /^[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}。！？，、]*$/u;

/** Places where a rule might be tempted. Several inside one token (a URL, "z.B.") count once. */
function tempting({ text, ends }) {
  const gold = normalise(text, ends),
    end = text.trimEnd().length;
  let marks = 0,
    beforeBlank = 0,
    last = -1,
    lastBlank = false;
  for (const m of text.matchAll(END)) {
    const p = m.index + m[0].length;
    if (p >= end || gold.has(p)) continue;
    const same = last >= 0 && SAME_TOKEN.test(text.slice(last, p));
    const blank = BLANK.test(text[p]);
    if (!same) {
      marks++;
      lastBlank = false;
    }
    if (blank && !lastBlank) {
      beforeBlank++;
      lastBlank = true;
    }
    last = p;
  }
  let blanks = 0,
    newlines = 0;
  for (const m of text.matchAll(/\s+/g))
    if (!gold.has(m.index) && m.index < end) {
      blanks++;
      if (m[0].includes('\n')) newlines++;
    }
  const semicolons = [...text.matchAll(/[;；؛]/g)].filter((m) => !gold.has(m.index + 1)).length;
  return { marks, beforeBlank, blanks, newlines, semicolons };
}

function issues(cases) {
  const out = [];
  const seen = new Set();
  for (const c of cases) {
    const say = (what) => out.push(`line ${c.line} (${c.lang}): ${what}`);
    if (new RegExp(`\\s${MARK}|^${MARK}|${MARK}\\s*$|${MARK}\\s*${MARK}`).test(c.marked))
      say('mark at an edge, doubled, or after a blank');
    if (new RegExp(`${MARK}[”»）」』》〉)\\].,!?。！？،।]`).test(c.marked.replace(/⏐\.git/g, '')))
      say('mark before a closing mark');
    if (/[^⏐]\n\s*\n/.test(c.marked)) say('blank line without a mark');
    if (c.text !== c.text.normalize('NFC')) say('not NFC');
    if (c.text.split('\n').some((l) => /^(#|---)/.test(l))) say('line that looks like markup of this file');
    if (seen.has(c.text)) say('case twice');
    seen.add(c.text);
    if (!/^[a-z-]+: /.test(c.why)) say('comment without a kind');
  }
  return out;
}

const segmenters = new Map();
function icu(text, lang) {
  if (!segmenters.has(lang)) segmenters.set(lang, new Intl.Segmenter(lang, { granularity: 'sentence' }));
  return [...segmenters.get(lang).segment(text)].map((s) => s.index);
}

const pct = (x) => (100 * x).toFixed(1).padStart(6);
function rates({ tp, fp, fn }) {
  const p = tp / (tp + fp || 1),
    r = tp / (tp + fn || 1);
  return `${pct(p)} ${pct(r)} ${pct(tp ? (2 * p * r) / (p + r) : 0)}`;
}

function total(cases, split, keyOf) {
  const sums = new Map();
  for (const c of cases) {
    const s = score(normalise(c.text, c.ends), normalise(c.text, split(c.text, c.lang)));
    for (const key of [keyOf(c), 'all']) {
      const t = sums.get(key) ?? { tp: 0, fp: 0, fn: 0 };
      t.tp += s.tp;
      t.fp += s.fp;
      t.fn += s.fn;
      sums.set(key, t);
    }
  }
  const all = sums.get('all');
  sums.delete('all');
  return sums.set('all', all);
}

function showErrors(cases, split) {
  for (const c of cases) {
    const gold = normalise(c.text, c.ends),
      found = normalise(c.text, split(c.text, c.lang));
    const bad = [...new Set([...gold, ...found])]
      .sort((a, b) => a - b)
      .filter((p) => gold.has(p) !== found.has(p));
    for (const p of bad)
      console.log(
        `${gold.has(p) ? '+' : '-'} ${c.line} ${JSON.stringify(c.text.slice(Math.max(0, p - 25), p) + '⏐' + c.text.slice(p, p + 20))}`,
      );
  }
}

async function main(argv) {
  const option = (name) => {
    const i = argv.indexOf(name);
    return i < 0 ? undefined : (argv[i + 1] ?? '');
  };
  const file = new URL(option('--file') ?? './sentences.gold.txt', import.meta.url);
  const cases = parseGold(readFileSync(file, 'utf8'));
  const path = option('--splitter');
  const other = path ? (await import(pathToFileURL(resolve(path)).href)).default : undefined;
  if (option('--errors') !== undefined)
    return showErrors(
      cases.filter((c) => c.lang === option('--errors')),
      other ?? icu,
    );
  if (argv.includes('--by-kind')) {
    for (const [k, s] of total(cases, other ?? icu, (c) => c.why.split(':')[0]))
      console.log(k.padEnd(14), rates(s), ` +${s.fn} -${s.fp}`);
    return;
  }
  if (argv.includes('--review')) {
    for (const c of cases) {
      for (const m of c.marked.matchAll(/[.!?…]["”»’)]*\s+(?=\p{Lu})/gu))
        console.log('join', c.line, JSON.stringify(c.marked.slice(Math.max(0, m.index - 20), m.index + 20)));
      for (const m of c.marked.matchAll(/⏐\s*(?=\p{Ll})/gu))
        console.log('cut ', c.line, JSON.stringify(c.marked.slice(Math.max(0, m.index - 20), m.index + 20)));
      for (const m of c.marked.matchAll(/[^.!?…。！？｡؟۔।॥”“»’"')）」』\]]⏐/gu))
        if (c.lang !== 'th')
          console.log(
            'bare',
            c.line,
            JSON.stringify(c.marked.slice(Math.max(0, m.index - 20), m.index + 10)),
          );
    }
    return;
  }
  const wrong = issues(cases);
  wrong.forEach((f) => console.log(f));
  const base = total(cases, icu, (c) => c.lang),
    mine = other && total(cases, other, (c) => c.lang);
  console.log(
    'lang cases bounds | tempting marks (before blank) blanks newlines semis | Intl.Segmenter P R F1' +
      (mine ? ' | splitter P R F1' : ''),
  );
  for (const [lang, s] of base) {
    const own = lang === 'all' ? cases : cases.filter((c) => c.lang === lang),
      n = own.reduce((a, c) => a + c.ends.length, 0);
    const t = own
      .map(tempting)
      .reduce((a, b) => Object.fromEntries(Object.keys(a).map((k) => [k, a[k] + b[k]])));
    console.log(
      lang.padEnd(4),
      String(own.length).padStart(5),
      String(n).padStart(6),
      '|',
      String(t.marks).padStart(5),
      `(${t.beforeBlank})`.padStart(6),
      String(t.blanks).padStart(6),
      String(t.newlines).padStart(4),
      String(t.semicolons).padStart(4),
      '|',
      rates(s),
      mine ? '| ' + rates(mine.get(lang)) : '',
    );
  }
  if (wrong.length) process.exitCode = 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv.slice(2));
