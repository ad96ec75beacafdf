// LanceDB, for real, in this process.
import { describeContract } from '../contract.ts';
import { load, temporaryFolder } from './peers.ts';

interface LanceModule {
  connect(folder: string): Promise<{ createTable(name: string, rows: readonly object[]): Promise<unknown> }>;
}

describeContract('LanceDB', () => {
  const { folder, remove } = temporaryFolder();
  return Promise.resolve({
    url: (collection) => `lancedb:${folder}?collection=${collection}`,
    options: { load },
    makeForeign: async (collection) => {
      const lance = (await load('@lancedb/lancedb')) as LanceModule;
      await (await lance.connect(folder)).createTable(collection, [{ id: 1 }]);
    },
    close: () => {
      remove();
      return Promise.resolve();
    },
  });
});
