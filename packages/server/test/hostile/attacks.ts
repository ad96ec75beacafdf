// Hostile requests, one row each. Those of http/bad-input.ts and http/bad-framing.ts are among them.
import { FRAMING } from '../http/bad-framing.ts';
import { BODIES, PATHS, UPLOADS } from '../http/bad-input.ts';
import { sent, type Attack, head, raw, type Row } from './attack.ts';
import { LINKS } from './links.ts';
import { PICTURES } from './pictures.ts';
import { REQUESTS } from './requests.ts';

const FILE_ERRORS: ReadonlySet<string> = new Set([
  'unsupported_type',
  'corrupted',
  'encrypted',
  'no_text',
  'too_complex',
]);

/** Codes of uploads that the service of these tests, which has OCR, reads as pictures. */
const BY_OCR: Readonly<Record<string, string>> = {
  'a picture': 'corrupted',
  'a picture that is called .txt': 'corrupted',
  'a PDF without text': 'unreadable_scan',
};

const fromTables: Attack[] = [
  ...FRAMING.map(([name, bytes, status, code]): Attack => ({
    group: 'framing',
    name,
    shot: raw(bytes),
    expected: `${status} ${code}`,
  })),
  ...UPLOADS.map(([name, ask, status, code]): Attack => ({
    group: 'uploads',
    name,
    shot: sent('POST /chunk/demo', ask),
    expected: `${status} ${BY_OCR[name] ?? code}`,
  })),
  // An estimate reports the errors of a file as its refusals.
  ...UPLOADS.filter(([, , , code]) => FILE_ERRORS.has(code)).map(([name, ask]): Attack => ({
    group: 'estimates',
    name,
    shot: sent('POST /estimate', ask),
    expected: '200',
  })),
  ...BODIES.map(([name, ask, status, code]): Attack => ({
    group: 'JSON',
    name,
    shot: sent('POST /chunk', ask),
    expected: `${status} ${code}`,
  })),
  ...PATHS.map(([line, code]): Attack => ({
    group: 'routes',
    name: line.slice(0, 60),
    shot: raw(head(line, 'Connection: close')),
    expected: `404 ${code}`,
  })),
];
const rows: Readonly<Record<string, readonly Row[]>> = { ...REQUESTS, ...LINKS, ...PICTURES };

export const ATTACKS: readonly Attack[] = [
  ...fromTables,
  ...Object.entries(rows).flatMap(([group, list]) =>
    list.map(([name, shot, expected]): Attack => ({ group, name, shot, expected })),
  ),
];
