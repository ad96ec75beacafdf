// All hostile documents, a table for each kind.
import { OFFICE_DOCUMENTS } from '@grainline/testing/hostile/office';
import type { HostileDocument } from '@grainline/testing/hostile/row';
import { TEXT_DOCUMENTS } from './texts.ts';

export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = [...OFFICE_DOCUMENTS, ...TEXT_DOCUMENTS];
