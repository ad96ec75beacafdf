// Ids of results and jobs that are drawn twice: each request gets an id of its own, and no result is overwritten.
import { describe, expect, it } from 'vitest';
import { ask, form, paragraphs } from '../http/fake-service.ts';
import { paidJobService } from './job-service.ts';

const PRICES = { structure: 2000n, 'ai-pro': 25_000n };

/** A service whose generator draws every id for two results. */
function serviceOfTwins() {
  let draws = 0;
  return paidJobService(
    {},
    {
      createResultId: (tier) =>
        `${tier}_${Math.floor(draws++ / 2)
          .toString()
          .padStart(12, '0')}`,
    },
  );
}

describe('an id that is drawn again', () => {
  it('is not that of a second free result', async () => {
    const { service } = serviceOfTwins();
    const send = async (word: string): Promise<string> => {
      const body = form(`${word} ${paragraphs(100)}`);
      const { json } = await ask(service, 'POST /chunk/demo', { body });
      return new URL(String(json['download_url'])).pathname;
    };
    const [here, there] = [await send('One'), await send('Two')];
    expect(here).not.toBe(there);
    expect((await ask(service, `GET ${here}`)).text).toContain('One 0 lorem');
    expect((await ask(service, `GET ${there}`)).text).toContain('Two 0 lorem');
  });

  it('is not that of a second paid result, and its payment is charged once', async () => {
    const { service } = serviceOfTwins();
    const buy = (text: string) =>
      ask(service, 'POST /chunk/structure', {
        body: form(text),
        headers: { 'x-payment': service.chain.pay(PRICES.structure) },
      });
    const [one, two] = [await buy('One.'), await buy('Two.')];
    const [here, there] = [one, two].map(({ headers }) => String(headers['Content-Location']));
    expect([one.status, two.status, here === there]).toEqual([200, 200, false]);
    expect((await ask(service, `GET ${here}`)).text).toContain('One.');
    expect((await ask(service, `GET ${there}`)).text).toContain('Two.');
  });

  it('is not that of a second job', async () => {
    const { service } = serviceOfTwins();
    const buy = (text: string) =>
      ask(service, 'POST /chunk/ai-pro', {
        body: form(text),
        headers: { 'x-payment': service.chain.pay(PRICES['ai-pro']) },
      });
    const [one, two] = [await buy('One.'), await buy('Two.')];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.json['job_id']).not.toBe(two.json['job_id']);
  });
});
