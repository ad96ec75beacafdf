import { describe, expect, it } from 'vitest';
import { findMisspelled } from './misspelled.ts';
import { SETTINGS } from './settings.ts';

const NAMES = Object.values(SETTINGS).map(({ name }) => name);

describe('names of settings', () => {
  it.each([
    ['PAYMENT', 'PAYMENTS'],
    ['UPLOAD_KIND', 'UPLOAD_KINDS'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['PBULIC_URL', 'PUBLIC_URL'],
    ['DATA-DIR', 'DATA_DIR'],
    ['payments', 'PAYMENTS'],
    ['FREE_PAGES', 'FREE_PAGES_PER_DAY'],
    ['max_upload', 'MAX_UPLOAD_BYTES'],
  ])('%s is taken for %s', (name, meant) => {
    expect(findMisspelled([name], NAMES)).toEqual([{ name, meant }]);
  });

  it('are not taken for a setting that is set: whoever set it knows its name', () => {
    expect(findMisspelled(['SOLANA_RPC_URL', 'SOLANA_RPC_URLS', 'PAYMENT'], NAMES)).toEqual([
      { name: 'PAYMENT', meant: 'PAYMENTS' },
    ]);
  });

  it('are no slip of themselves, and those of other programs are none', () => {
    const others = [
      'PATH',
      'HOSTS',
      'POST',
      'PWD',
      'HOSTNAME',
      'NODE_ENV',
      'PGDATABASE',
      'LOGNAME',
      'AI_MODELS_DIR',
      'MAX',
      'AI',
    ];
    expect(findMisspelled([...NAMES, ...others, ''], NAMES)).toEqual([]);
  });
});
