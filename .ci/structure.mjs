// Measures the structure of the repository and ends with 1 when a bound is broken. `--list NAME` prints every finding
// of one measure; `--sample SEED` prints 30 comments and 30 sentences of the docs, to be read. Run by lint; it reads
// TypeScript's syntax tree and no types.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { importAgainstLayers, unlayeredIn } from './layers.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', 'peers', 'fixtures', 'data', 'samples']);

/** Words of our own that the field's terms have replaced. A name that holds one of them as a word is reported. */
const ABOLISHED_WORDS = [
  'told',
  'tells',
  'heard',
  'hear',
  'asked',
  'asking',
  'workplace',
  'silence',
  'crowd',
  'hostage',
  'hostages',
  'greed',
  'greedy',
  'mood',
  'moody',
  'purse',
  'till',
  'errand',
  'overdue',
  'withdrawal',
  'whereabouts',
  'sightings',
  'fault',
  'faults',
  'refuse',
  'looks',
  'misses',
  'fulfilment',
  'intake',
  'conversation',
  'sayings',
  'untold',
  'unasked',
];

/** Names that are abolished as a whole. */
const ABOLISHED_NAMES = [
  'runLine',
  'Line',
  'Lines',
  'Look',
  'Looks',
  'Sale',
  'Fulfilment',
  'Followed',
  'Intake',
  'Task',
  'childWork',
  'silenceOf',
  'crowdOf',
  'Withdrawal',
  'Overdue',
  'Errand',
  'Place',
  'Question',
  'Order',
  'JobOrder',
  'Finished',
  'Found',
  'Known',
  'Kept',
  'Held',
  'Given',
  'Cuts',
  'tellBy',
  'giveAway',
  'sell',
  'workOff',
  'meetTerms',
  'waive',
  'standAside',
  'giveBack',
  'lead',
  'leads',
  'leadOf',
  'lookMs',
  'later',
];
/** Names of abolished endings: the dependencies of a part are its `Deps`. */
const ABOLISHED_ENDING = /[a-z]Parts$/;

/** The measures: title and bound of each. */
const BOUNDS = {
  cycles: ['import cycles', 0],
  layers: ['imports against the layers', 0],
  functions: ['functions over 80 lines', 3],
  longest: ['functions over 120 lines', 0],
  files: ['source files over 400 lines', 1],
  climbing: ["imports of another package's folders in place of its entry", 0],
  types: ['type names exported from more than one file', 0],
  names: ['abolished names', 0],
  openings: ['comments that begin with What, Whether or Who, or contain nobody, per 10,000', 100],
};

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    SKIPPED.has(entry.name)
      ? []
      : entry.isDirectory()
        ? filesBelow(join(folder, entry.name))
        : [join(folder, entry.name)],
  );

const isTest = (file) => /\.test\.tsx?$/.test(file);
const isSource = (file) => /^packages\/(?!testing\/)[^/]+\/src\//.test(file) && !isTest(file);

/** The words of an identifier, in small letters: `toldOf` has `told` and `of`. */
export const wordsOf = (name) =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());

/** Says whether a name is on the lists of abolished words and names. */
export const isAbolished = (name) =>
  ABOLISHED_NAMES.includes(name) ||
  ABOLISHED_ENDING.test(name) ||
  wordsOf(name).some((word) => ABOLISHED_WORDS.includes(word));

/** Says whether a comment begins with a noun clause or is about nobody. */
export const opensBadly = (comment) => {
  const text = comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^\s*(?:\/\/+|\*)\s?/gm, '')
    .trim();
  return /^(?:What|Whether|Who|Whoever)\b/.test(text) || /\bnobody\b/i.test(text);
};

/** The comments of a file; lines of `//` that follow each other are one comment. */
export function commentsOf(source) {
  const text = source.text;
  const seen = new Map();
  const collect = (ranges) => {
    for (const { pos, end } of ranges ?? []) seen.set(pos, end);
  };
  const visit = (node) => {
    if (ts.isJsxText(node)) return;
    collect(ts.getLeadingCommentRanges(text, node.getFullStart()));
    collect(ts.getTrailingCommentRanges(text, node.getEnd()));
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  const comments = [];
  let lastEnd = -1;
  for (const [pos, end] of [...seen].sort(([a], [b]) => a - b)) {
    const comment = text.slice(pos, end);
    const joins =
      comment.startsWith('//') &&
      comments.at(-1)?.startsWith('//') === true &&
      /^[ \t]*\r?\n?[ \t]*$/.test(text.slice(lastEnd, pos));
    if (joins) comments[comments.length - 1] += `\n${comment}`;
    else comments.push(comment);
    lastEnd = end;
  }
  return comments.filter((comment) => !/^\/[/*]+\s*(?:eslint|prettier|@ts|@vite)/.test(comment));
}

/** Strongly connected components of more than one file, in the order of discovery (Tarjan 1972). */
export function cyclesOf(graph) {
  const [index, low, onStack, stack, cycles] = [new Map(), new Map(), new Set(), [], []];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (onStack.has(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    for (const member of component) onStack.delete(member);
    if (component.length > 1) cycles.push(component);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

/** The paths of the repository's own packages, from the compiler's settings. */
function entryPaths() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => readFileSync(file, 'utf8'));
  return Object.entries(config.compilerOptions.paths).map(([name, [target]]) => {
    const [before, after] = name.split('*');
    return (specifier) => {
      if (after === undefined) return specifier === name ? join(ROOT, target) : undefined;
      if (!specifier.startsWith(before) || !specifier.endsWith(after)) return undefined;
      return join(ROOT, target.replace('*', specifier.slice(before.length, specifier.length - after.length)));
    };
  });
}

/** The file of the repository that a specifier leads to. */
function targetOf(file, specifier, entries) {
  if (specifier.startsWith('.')) return resolve(dirname(file), specifier.replace(/\?.*$/, ''));
  for (const entry of entries) {
    const target = entry(specifier);
    if (target !== undefined) return target;
  }
  return undefined;
}

const identifiersOf = (source) => {
  const names = [];
  const visit = (node) => {
    const { name } = node;
    const isDeclared =
      name !== undefined &&
      ts.isIdentifier(name) &&
      (ts.isVariableDeclaration(node) ||
        ts.isFunctionDeclaration(node) ||
        ts.isParameter(node) ||
        ts.isBindingElement(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isClassDeclaration(node) ||
        ts.isMethodDeclaration(node) ||
        ts.isMethodSignature(node) ||
        ts.isPropertySignature(node) ||
        ts.isPropertyDeclaration(node));
    if (isDeclared) names.push(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
};

/** Adds the findings of one file. */
function measureFile(path, found, graph, entries, typeFiles, comments) {
  const file = relative(ROOT, path);
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const at = (node) => `${file}:${lineOf(node.getStart(source))}`;
  if (isSource(file))
    for (const folder of unlayeredIn(ROOT, path)) found.layers.push(`${file} is in no layer of ${folder}`);
  if (isSource(file) && text.split('\n').length - 1 > 400)
    found.files.push(`${file} ${text.split('\n').length - 1}`);
  const targets = new Set();
  const visit = (node) => {
    if (isSource(file) && ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      if (lines > 80) found.functions.push(`${at(node)} ${lines}`);
      if (lines > 120) found.longest.push(`${at(node)} ${lines}`);
    }
    const specifier =
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
            ? node.argument.literal
            : undefined;
    if (specifier !== undefined && ts.isStringLiteral(specifier)) {
      const target = targetOf(path, specifier.text, entries);
      if (target !== undefined) {
        targets.add(target);
        const packageOf = (name) => /^packages\/[^/]+/.exec(relative(ROOT, name))?.[0];
        const climbs = specifier.text.startsWith('.') && packageOf(target) !== packageOf(path);
        // A folder's scripts and benches may use the sources of others: no build has to run before them.
        if (climbs && /^packages\/[^/]+\/(?:src|test)\//.test(file))
          found.climbing.push(`${at(node)} ${specifier.text}`);
        const against = importAgainstLayers(ROOT, path, target);
        if (against !== undefined && !isTest(file))
          found.layers.push(`${at(node)} ${against.from} imports ${against.to}`);
      }
    }
    const isType =
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isEnumDeclaration(node);
    const isExported =
      ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isType && isExported && isSource(file)) {
      const files = typeFiles.get(node.name.text) ?? new Set();
      typeFiles.set(node.name.text, files.add(file));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (isSource(file)) graph.set(path, targets);
  for (const name of identifiersOf(source))
    if (isAbolished(name.text)) found.names.push(`${at(name)} ${name.text}`);
  const stem = file.replace(/^packages\/[^/]+\//, '').replace(/\.[^/]*$/, '');
  for (const part of stem.split('/'))
    if (wordsOf(part).some((word) => ABOLISHED_WORDS.includes(word))) found.names.push(`${file} ${part}`);
  for (const comment of commentsOf(source)) {
    comments.total++;
    if (opensBadly(comment)) found.openings.push(`${file} ${comment.split('\n').slice(0, 2).join(' ')}`);
  }
}

const sourceFiles = () =>
  filesBelow(join(ROOT, 'packages')).filter(
    (file) => /\.(?:tsx?|mjs)$/.test(file) && !file.endsWith('.d.ts'),
  );

/** Measures the whole repository. */
export function measure() {
  const found = Object.fromEntries(Object.keys(BOUNDS).map((name) => [name, []]));
  const [graph, typeFiles, comments] = [new Map(), new Map(), { total: 0 }];
  const entries = entryPaths();
  const files = sourceFiles();
  for (const file of files) measureFile(file, found, graph, entries, typeFiles, comments);
  for (const targets of graph.values())
    for (const target of targets) if (!existsSync(target)) targets.delete(target);
  found.cycles = cyclesOf(graph).map((cycle) => cycle.map((file) => relative(ROOT, file)).join(' → '));
  found.types = [...typeFiles]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) => `${name}: ${[...places].join(', ')}`);
  return { found, comments: comments.total };
}

/** Random numbers from 0 to below 1 that a seed determines (mulberry32 by Tommy Ettinger, public domain). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The sentences of a Markdown page, without code, tables, headings and fragments. */
export function sentencesOf(markdown) {
  return markdown
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
    .replace(/^\s*\|.*$|^#+ .*$/gm, '\n')
    .split(/\n\s*\n|^\s*[-*] |^\s*\d+\. /m)
    .flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?])\s+(?=[A-Z`[*])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /^[A-Z`[*].*[.!?:]$/.test(sentence) && sentence.split(' ').length >= 6);
}

/** Prints 30 comments and 30 sentences of the docs that a seed chooses. */
function printSample(seed) {
  const random = randomFrom(seed);
  const choose = (all) =>
    Array.from({ length: 30 }, () => all.splice(Math.floor(random() * all.length), 1)[0]);
  const comments = sourceFiles().flatMap((path) => {
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    return commentsOf(source).map((comment) => `${relative(ROOT, path)}\n${comment}`);
  });
  const pages = filesBelow(ROOT).filter(
    (path) => /\.md$/.test(path) && !/\.changeset|\.git\/|RESULTS|http-reference/.test(path),
  );
  const sentences = pages.flatMap((path) =>
    sentencesOf(readFileSync(path, 'utf8')).map((sentence) => `${relative(ROOT, path)}\n${sentence}`),
  );
  console.log(
    [...choose(comments), ...choose(sentences)].map((text, at) => `${at + 1}. ${text}`).join('\n\n'),
  );
}

function main() {
  const seed = process.argv[process.argv.indexOf('--sample') + 1];
  if (process.argv.includes('--sample')) return printSample(Number(seed));
  const { found, comments } = measure();
  const listed = process.argv[process.argv.indexOf('--list') + 1];
  if (process.argv.includes('--list')) {
    console.log((found[listed] ?? [`no measure of this name: ${Object.keys(BOUNDS).join(', ')}`]).join('\n'));
    return;
  }
  let broken = false;
  for (const [name, [title, most]] of Object.entries(BOUNDS)) {
    const count =
      name === 'openings' ? Math.ceil((found[name].length * 10_000) / comments) : found[name].length;
    const holds = count <= most;
    broken ||= !holds;
    console.log(`${holds ? 'ok    ' : 'BROKEN'} ${title}: ${count} (at most ${most})`);
    if (!holds)
      console.log(
        found[name]
          .slice(0, 5)
          .map((line) => `         ${line}`)
          .join('\n') + `\n         all of them: npm run check:structure -- --list ${name}`,
      );
  }
  if (broken) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
