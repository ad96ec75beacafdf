import { createMemoryLedger } from '../src/memory-ledger.ts';
import { ledgerContract } from './ledger.contract.ts';

ledgerContract('in memory', ({ now }) => {
  let tokens = 0;
  const ledger = createMemoryLedger({ now, createToken: () => `token ${tokens++}` });
  return Promise.resolve({
    ledger,
    consume: (lease) => ledger.sell(lease, 'consumed'),
    process: (lease) => ledger.sell(lease, 'processing'),
    blockPayer: (payer) => ledger.blockPayer(payer),
    close: () => Promise.resolve(),
  });
});
