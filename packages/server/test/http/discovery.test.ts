// Descriptions for catalogs of x402: the extension of the offer, and the manifest. The rules are those of
// @x402/extensions 2.27 (validateDiscoveryExtension), which packages/playground/test/clients runs itself.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { parsePaymentRequired, PaymentRequirementsV2Schema } from '@x402/core/schemas';
import { describe, expect, it } from 'vitest';
import { discoveryOf, discoveryOfTool } from '../../src/payments/discovery.ts';
import { deploymentOf, paidTiers, type TierEntry } from '../../src/catalog.ts';
import { PAY_TO } from '../payments/fake-chain.ts';
import { OFFERING_FACILITATOR, paidService } from '../payments/paid-service.ts';
import { ask, fakeService, form } from './fake-service.ts';

const TIERS: readonly TierEntry[] = (['primary', 'compact'] as const).flatMap((deployment) =>
  paidTiers(deploymentOf({ deployment, payments: 'on', payTo: PAY_TO, aiModel: ['model'] })),
);
const ajv = new Ajv2020({ allErrors: true, strict: false });

interface Manifest {
  readonly items: readonly {
    readonly resource: { readonly url: string };
    readonly accepts: readonly { readonly amount: string }[];
    readonly input: { readonly bodyType: string; readonly body: object };
  }[];
}

describe('the extension bazaar', () => {
  it.each(TIERS.map((tier) => [tier.id, tier] as const))(
    'of %s fulfils its own schema, in at most 1 kB',
    (_, tier) => {
      for (const source of ['url', 'text'] as const) {
        const { info, schema } = discoveryOfTool(tier, source);
        expect(ajv.compile(schema)(info)).toBe(true);
        expect(JSON.stringify({ info, schema }).length).toBeLessThanOrEqual(1000);
      }
      for (const body of ['json', 'form-data'] as const)
        for (const isPathOfTier of [true, false]) {
          const { info, schema } = discoveryOf(tier, body, isPathOfTier);
          const validate = ajv.compile(schema);
          expect([validate(info), validate.errors]).toEqual([true, null]);
          expect(JSON.stringify({ info, schema }).length).toBeLessThanOrEqual(1000);
          const wrong = { ...info, input: { ...info.input, body: { chunk_size: 'many' } } };
          expect(validate(wrong)).toBe(false);
        }
    },
  );

  it.each([
    ['/chunk', JSON.stringify({ tier: 'semantic', text: 'Some text.' }), 'json', 'semantic'],
    ['/chunk', form('Some text.', 'note.txt', { tier: 'structure' }), 'form-data', 'structure'],
    ['/chunk/structure', form('Some text.'), 'form-data', undefined],
  ] as const)(
    'stands in the offer of POST %s, whose header takes at most 6 kB',
    async (path, body, type, tier) => {
      const service = paidService({}, {}, OFFERING_FACILITATOR);
      const { status, headers } = await ask(service, `POST ${path}`, { body });
      expect(status).toBe(402);
      const header = headers['PAYMENT-REQUIRED'] ?? '';
      expect(header.length).toBeLessThanOrEqual(6 * 1024);
      const required = decodePaymentRequiredHeader(header);
      expect(parsePaymentRequired(required).success).toBe(true);
      expect(required).toMatchObject({
        resource: { serviceName: 'Grainline', tags: expect.any(Array) as unknown },
        extensions: {
          bazaar: {
            info: {
              input: { type: 'http', method: 'POST', bodyType: type, body: { ...(tier && { tier }) } },
            },
          },
        },
      });
    },
  );
});

describe('/.well-known/x402.json', () => {
  it('has an item for each paid tier, with an offer that a 402 repeats', async () => {
    const service = paidService({}, {}, OFFERING_FACILITATOR);
    const { json } = await ask(service, 'GET /.well-known/x402.json');
    const { items } = json as unknown as Manifest;
    expect(items.map(({ resource }) => new URL(resource.url).pathname)).toEqual([
      '/chunk',
      '/chunk/structure',
      '/chunk/semantic',
    ]);
    for (const { resource, accepts, input } of items) {
      for (const entry of accepts) expect(PaymentRequirementsV2Schema.safeParse(entry).success).toBe(true);
      const isUpload = input.bodyType === 'form-data';
      const body = isUpload ? form('Some text.') : JSON.stringify({ text: 'Some text.' });
      const { headers } = await ask(service, `POST ${new URL(resource.url).pathname}`, { body });
      const offer = decodePaymentRequiredHeader(
        headers['PAYMENT-REQUIRED'] ?? '',
      ) as unknown as Manifest['items'][0];
      expect(offer.accepts).toEqual(accepts);
      expect(() => ajv.compile(input.body)).not.toThrow();
    }
  });

  it('has no offers without a facilitator, and is not there where nothing is sold', async () => {
    const { json } = await ask(paidService(), 'GET /.well-known/x402.json');
    for (const { accepts } of (json as unknown as Manifest).items) expect(accepts).toEqual([]);
    expect((await ask(fakeService({ PAYMENTS: 'off' }), 'GET /.well-known/x402.json')).status).toBe(404);
  });
});
