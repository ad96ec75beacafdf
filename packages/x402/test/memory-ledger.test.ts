import { createMemoryLedger } from '../src/ledger/memory-ledger.ts';
import { ledgerContract } from '@grainline/testing/ledger-contract';

ledgerContract('in memory', ({ now }) => {
  let tokens = 0;
  const ledger = createMemoryLedger({ now, createToken: () => `token ${tokens++}` });
  return Promise.resolve({
    ledger,
    consume: (lease) => ledger.spend(lease, 'consumed'),
    process: (lease) => ledger.spend(lease, 'processing'),
    blockPayer: (payer) => ledger.blockPayer(payer),
    close: () => Promise.resolve(),
  });
});
