// A whole service in a process of its own, from sources, before a scripted chain: what hostile requests are sent to.
// Says where it listens, and the proofs of payments of every kind, as one line of JSON.
import { readSettings } from '../../src/settings/settings.ts';
import { startService } from '../../src/main/server.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { FROM_SOURCES } from '../sandbox/tasks.ts';
import { createWorkerPool } from '../../src/sandbox/index.ts';

const settings = readSettings({ PAY_TO, PAYMENT_WAIT_MS: '0', ...process.env });
const chain = fakeChain(Date.now);
const failed = chain.invent();
chain.say(failed, { kind: 'failed' });
const proofs = {
  unknown: chain.invent(),
  failed,
  short: chain.pay(1999n),
  nothing: chain.pay(0n),
  old: chain.pay(2000n, { timeMs: Date.now() - 90_000_000 }),
  bound: chain.pay(2000n, { boundTo: 'x'.repeat(43) }),
  good: chain.pay(2000n),
  spent: chain.pay(2000n),
  raced: chain.pay(2000n),
  exhausted: chain.pay(2000n),
  cheap: chain.pay(2000n),
};
const service = await startService(settings, {
  paymentNetwork: fakePaymentNetwork(chain, settings),
  workerPool: createWorkerPool(settings, FROM_SOURCES),
});
await service.ready;
process.stdout.write(`${JSON.stringify({ url: service.url, proofs })}\n`);
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));
