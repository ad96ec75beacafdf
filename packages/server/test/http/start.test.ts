// How a service starts: it listens at once, and is ready once those that it asks have answered or failed to.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import { type PaymentNetwork, PaymentsSetupError } from '../../src/payments/payments.ts';
import { type RunningService, type ServiceOverrides, startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { send } from '../payments/selling.ts';
import { form, inlineWorkerPool, memoryDownloader, memoryStore } from './fake-service.ts';

let service: RunningService;
afterEach(() => service.stop());

const settings = readSettings({ PORT: '0', PAY_TO, PAYMENT_WAIT_MS: '0', RATE_LIMIT: 'off', DRAIN_MS: '0' });
const chain = fakeChain(Date.now);

async function start(parts: ServiceOverrides): Promise<RunningService> {
  service = await startService(settings, {
    downloader: memoryDownloader(),
    workerPool: inlineWorkerPool,
    log: { write: () => undefined },
    paymentNetwork: fakePaymentNetwork(chain, settings),
    ...parts,
  });
  return service;
}

/** A chain that answers, or fails, when the test says so. */
function heldNetwork(): {
  paymentNetwork: NonNullable<ServiceOverrides['paymentNetwork']>;
  answer: (error?: Error) => void;
} {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const paymentNetwork = (...[store]: Parameters<ReturnType<typeof fakePaymentNetwork>>): PaymentNetwork => {
    const place = fakePaymentNetwork(chain, settings)(store);
    const connect: PaymentNetwork['connect'] = async (signal) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      await promise;
      return place.connect(signal);
    };
    return { ...place, connect };
  };
  return { paymentNetwork, answer: (error) => (error === undefined ? resolve(undefined) : reject(error)) };
}

async function readiness({ url }: RunningService) {
  const answer = await fetch(`${url}/ready`);
  const { code, message } = (await answer.json()) as { code?: string; message?: string };
  return { status: answer.status, code, message, retry: answer.headers.get('retry-after') };
}

describe('a service that starts', () => {
  it.each([
    [{ PAY_TO, PAYMENTS: 'off' }, 'PAY_TO is set, but PAYMENTS=off gives every tier away.'],
    [{}, 'PAY_TO is not set: paid tiers are unavailable and the free tier has 100 pages a day.'],
  ])('says in its log that nothing is sold, and why: %j', async (given, sentence) => {
    let log = '';
    service = await startService(readSettings({ PORT: '0', DRAIN_MS: '0', ...given }), {
      workerPool: inlineWorkerPool,
      store: memoryStore(),
      log: { write: (line) => void (log += line) },
    });
    expect(log).toContain(sentence);
  });

  it('listens before the chain has answered: alive, not ready, free', async () => {
    const { paymentNetwork, answer } = heldNetwork();
    await start({ paymentNetwork });
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await readiness(service)).toEqual({
      status: 503,
      code: 'not_ready',
      message:
        'Not ready: the service has just started and waits for the first answer of the payment network. Try again shortly.',
      retry: '1',
    });
    expect((await send(service, '/chunk/demo', form('Free.'))).status).toBe(200);
    answer();
    await service.ready;
    expect((await readiness(service)).status).toBe(200);
  });

  it('takes nothing for what it cannot sell yet, and sells it for the same payment later', async () => {
    const { paymentNetwork, answer } = heldNetwork();
    const store = memoryStore();
    await start({ paymentNetwork, store });
    const proof = chain.pay(2000n);
    for (const ask of [
      () => send(service, '/chunk/structure', form('Paid.'), proof),
      () => send(service, '/chunk', JSON.stringify({ text: 'Paid.' }), proof),
    ]) {
      const refused = await ask();
      expect(refused).toMatchObject({
        status: 503,
        json: { code: 'tier_unavailable', retryable: true, payment: { reusable: true } },
      });
      expect(refused.headers.get('retry-after')).toBe('15');
    }
    const prepared = await send(service, '/payment/transaction', '{}');
    expect([prepared.status, prepared.headers.get('retry-after')]).toEqual([503, '15']);
    expect(await store.get(proof)).toBeNull();
    answer();
    await service.ready;
    expect((await send(service, '/chunk/structure', form('Paid.'), proof)).status).toBe(200);
  });

  it('waits for the language model as well, and is ready although that does not answer', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await start({ languageModel: { ...NO_LANGUAGE_MODEL, tried: promise } });
    expect((await readiness(service)).message).toContain('first answer of the language model');
    resolve(undefined);
    await service.ready;
    expect((await readiness(service)).status).toBe(200);
    const { tiers } = (await (await fetch(service.url)).json()) as { tiers: { id: string }[] };
    expect(tiers.find(({ id }) => id === 'ai')).toMatchObject({ available: false });
  });

  it('is ready although the chain does not answer', async () => {
    const { paymentNetwork, answer } = heldNetwork();
    await start({ paymentNetwork });
    answer(new Error('no answer'));
    await service.ready;
    expect((await readiness(service)).status).toBe(200);
    expect((await send(service, '/chunk/structure', form('Paid.'))).json.code).toBe('tier_unavailable');
  });

  it('ends when payments can never work, whatever the language model does', async () => {
    const { paymentNetwork, answer } = heldNetwork();
    await start({
      paymentNetwork,
      languageModel: { ...NO_LANGUAGE_MODEL, tried: new Promise(() => undefined) },
    });
    answer(new PaymentsSetupError(['The mint is none.']));
    await expect(service.ready).rejects.toThrow(/The mint is none\./);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow('fetch failed');
  });

  it('can be stopped before it is ready', async () => {
    await start({ paymentNetwork: heldNetwork().paymentNetwork });
    await service.stop();
    await service.ready;
    await expect(fetch(`${service.url}/health`)).rejects.toThrow('fetch failed');
  });
});

/** Parts, and the names of the closed ones in order. */
function recordCloses() {
  const closed: string[] = [];
  const record = <Part extends { close(): Promise<void> }>(name: string, part: Part): Part => ({
    ...part,
    close: () => part.close().then(() => void closed.push(name)),
  });
  const parts = {
    store: record('store', memoryStore()),
    languageModel: record('language model', NO_LANGUAGE_MODEL),
    downloader: record('downloader', memoryDownloader()),
    workerPool: record('worker pool', inlineWorkerPool),
    log: { write: () => undefined },
  };
  return { closed, parts };
}

describe('a service that cannot start', () => {
  it('closes its store when telemetry cannot be opened', async () => {
    const { closed, parts } = recordCloses();
    const environment = { ...settings, otlpEndpoint: 'http://127.0.0.1:4318' };
    const telemetry = { load: () => Promise.resolve({}) };
    await expect(startService(environment, { ...parts, telemetry })).rejects.toThrow(TypeError);
    expect(closed).toEqual(['store']);
  });

  it('closes language model and store when there is no payment network', async () => {
    const { closed, parts } = recordCloses();
    const paymentNetwork = (): never => {
      throw new Error('no network');
    };
    await expect(startService(settings, { ...parts, paymentNetwork })).rejects.toThrow('no network');
    expect(closed).toEqual(['language model', 'store']);
  });

  it.each([
    ['PORT', (port: number) => ({ port }), /EADDRINUSE/],
    ['METRICS_PORT', (metricsPort: number) => ({ metricsPort }), /METRICS_PORT cannot be used/],
  ])('closes its parts in the reverse order of their opening when %s is taken', async (_, taken, error) => {
    const { closed, parts } = recordCloses();
    const blocked = createServer().listen(0, '127.0.0.1');
    await once(blocked, 'listening');
    const { port } = blocked.address() as AddressInfo;
    const started = startService({ ...settings, payments: 'off', ...taken(port) }, parts);
    await expect(started).rejects.toThrow(error);
    expect(closed).toEqual(['worker pool', 'downloader', 'language model', 'store']);
    blocked.close();
  });
});

describe('a service that stops', () => {
  it('closes its store although another part cannot be closed, and says why', async () => {
    const store = memoryStore();
    let isClosed = false;
    const stopping = await startService(settings, {
      downloader: {
        ...memoryDownloader(),
        close: () => Promise.reject(new Error('the downloader is stuck')),
      },
      workerPool: inlineWorkerPool,
      log: { write: () => undefined },
      paymentNetwork: fakePaymentNetwork(chain, settings),
      store: { ...store, close: () => store.close().then(() => void (isClosed = true)) },
    });
    await stopping.ready;
    await expect(stopping.stop()).rejects.toThrow('the downloader is stuck');
    expect(isClosed).toBe(true);
  });
});
