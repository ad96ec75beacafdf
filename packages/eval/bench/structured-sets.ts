// The development sets beside the repository: documents with questions by people, which a clone does not have.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { documentFromText, type Span } from '@grainline/core';
import type { EvalDocument, EvalQuestion } from '@grainline/eval';

/** The environment may name another folder. */
export const STRUCTURED_SETS: string =
  process.env['STRUCTURED_SETS'] ?? path.join(import.meta.dirname, '../../../../shared/bench/structured');
export const hasStructuredSets: boolean = existsSync(STRUCTURED_SETS);

interface SetFile {
  readonly docs: readonly (readonly [string, string])[];
  readonly questions: readonly {
    readonly question: string;
    readonly corpus: string;
    readonly kind: string;
    readonly refs: readonly Span[];
  }[];
}

/** A set's documents and its questions, each once. Those from titles of sections count as made from headings. */
export function readStructuredSet(name: string): { documents: EvalDocument[]; questions: EvalQuestion[] } {
  const { docs, questions: rows } = JSON.parse(
    readFileSync(path.join(STRUCTURED_SETS, `${name}.json`), 'utf8'),
  ) as SetFile;
  const documents = docs.map(([document, text]) => ({ name: document, document: documentFromText(text) }));
  const questions = rows.map(({ question, corpus, kind, refs }): EvalQuestion => ({
    question,
    document: corpus,
    spans: refs,
    origin: kind === 'section' ? 'heading' : 'given',
  }));
  const distinct = new Map(questions.map((each) => [`${each.document}\n${each.question}`, each]));
  return { documents, questions: [...distinct.values()] };
}
