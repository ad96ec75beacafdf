// Server processes on one store, and a front before them that does what a load balancer does: it asks each again and
// again whether it is ready, and sends requests in turn to those that said so last. Each may be ended and started
// again.
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Client, createClient, HEALTH, type Sendable } from '@grainline/testing/load';
import { type ServerProcess, startServer } from '@grainline/testing/server-process';

export interface Fleet {
  readonly size: number;
  /** To the next one that is ready; nothing is sent twice. `refused` while none is. */
  send(sendable: Sendable): Promise<Answer>;
  /** Ends one as a power cut does. */
  kill(index: number): Promise<void>;
  /** Ends one as an operator does; resolves with the ms that it took, and rejects when it does not end well. */
  stop(index: number): Promise<number>;
  /** Starts one anew that has ended; resolves with the ms until it answered that it is healthy. */
  start(index: number): Promise<number>;
  /** Asks one until it says that it is ready. */
  ready(index: number): Promise<void>;
  /** Ends all. */
  close(): Promise<void>;
}

/** How often each is asked whether it is ready. */
const CHECK_MS = 1_000;
/** One that says nothing for so long is not. */
const PATIENCE_MS = 2_000;
/** Connections to each. */
const CONNECTIONS = 64;
const READY: Sendable = { ...HEALTH, path: '/ready' };

/** One of them, and what the front knows of it. */
interface FleetFolder {
  server: ServerProcess;
  client: Client;
  isReady: boolean;
}

/** Starts so many with the same settings. */
export async function startFleet(size: number, settings: Readonly<Record<string, string>>): Promise<Fleet> {
  const places = await Promise.all(Array.from({ length: size }, () => startPlace(settings)));
  let next = 0;
  let isOver = false;

  /** Asks one while it runs. An answer of an earlier process does not count. */
  async function check(place: FleetFolder): Promise<void> {
    const { client } = place;
    const answer = await Promise.race([client.send(READY), wait(PATIENCE_MS)]);
    if (place.client === client) place.isReady = answer?.outcome === 200;
  }

  const checking = places.map(async (place) => {
    while (!isOver) {
      await check(place);
      await wait(CHECK_MS);
    }
  });

  function choose(): FleetFolder | undefined {
    for (let tried = 0; tried < size; tried++) {
      const place = places[next++ % size];
      if (place?.isReady === true) return place;
    }
    return undefined;
  }

  const at = (index: number): FleetFolder => {
    const place = places[index];
    if (place === undefined) throw new Error(`There is no place ${index}.`);
    return place;
  };

  const fleet: Fleet = {
    size,
    async send(sendable) {
      const place = choose();
      if (place === undefined) return { outcome: 'refused', ms: 0, why: 'none is ready', text: '' };
      const { client } = place;
      const answer = await client.send(sendable);
      // Asked again at its next turn, as load balancers do.
      if (typeof answer.outcome === 'string' && place.client === client) place.isReady = false;
      return answer;
    },
    async kill(index) {
      const place = at(index);
      await place.server.kill();
      place.isReady = false;
      place.client.close();
    },
    stop: (index) => at(index).server.stop(),
    async start(index) {
      const place = at(index);
      const beganMs = performance.now();
      const { server, client } = await startPlace(settings);
      place.client.close();
      Object.assign(place, { server, client, isReady: false });
      while ((await client.send(HEALTH)).outcome !== 200) await wait(5);
      return performance.now() - beganMs;
    },
    async ready(index) {
      for (;;) {
        await check(at(index));
        if (at(index).isReady) return;
        await wait(10);
      }
    },
    async close() {
      isOver = true;
      await Promise.all(checking);
      await Promise.all(places.map(({ server }) => server.stop()));
      for (const { client } of places) client.close();
    },
  };
  await Promise.all(places.map((_, index) => fleet.ready(index)));
  return fleet;
}

async function startPlace(settings: Readonly<Record<string, string>>): Promise<FleetFolder> {
  const server = await startServer(settings);
  return { server, client: createClient(server.url, CONNECTIONS), isReady: false };
}
