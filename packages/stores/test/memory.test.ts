// The store in memory, the oracle of the other databases.
import { describeContract } from './contract.ts';

describeContract('memory', () =>
  Promise.resolve({ url: (collection) => `memory:test?collection=${collection}` }),
);
