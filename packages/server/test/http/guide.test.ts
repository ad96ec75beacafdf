// Descriptions for programs that do not know the API: /llms.txt, the prices in /openapi.json, and the list of paid
// addresses.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS } from '@grainline/x402';
import { describe, expect, it } from 'vitest';
import { ANSWER_SCHEMAS } from '../../src/api/response-schemas.ts';
import { JOB_FIELDS, OPTION_FIELDS, SOURCE_FIELDS } from '../../src/fields/field-table.ts';
import { guideText, paidResourcesText } from '../../src/api/guide.ts';
import { operationsOf } from '../../src/api/operations.ts';
import { referenceText } from '../../src/api/reference.ts';
import { CODES } from '../../src/errors/codes.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { type Deployment, deploymentOf } from '../../src/catalog.ts';
import { PAY_TO } from '../payments/fake-chain.ts';
import { paidService } from '../payments/paid-service.ts';
import { ask, fakeService, form } from './fake-service.ts';

const ORIGIN = 'https://chunks.example';
const deploymentsWith = (payments: 'on' | 'off'): Deployment[] =>
  (['primary', 'compact'] as const).map((deployment) =>
    deploymentOf({ deployment, payments, payTo: PAY_TO }),
  );
const SELLING = deploymentsWith('on');
const GIVING = deploymentsWith('off');

const isOfPayment = (code: string): boolean => Object.hasOwn(REASONS, code) || code === 'invalid_transfer';

describe('/llms-full.txt', () => {
  it.each([...SELLING, ...GIVING])('of $name has all that /openapi.json has', (deployment) => {
    const text = referenceText(deployment, ORIGIN);
    for (const { method, path, summary, codes } of operationsOf(deployment)) {
      const [, section = ''] = text.split(`\n### ${method} ${path}\n`);
      const own = section.split('\n### ')[0] ?? '';
      expect(own).toContain(summary);
      for (const code of codes) expect(own).toContain(`\`${code}\``);
    }
    for (const name of Object.keys({ ...SOURCE_FIELDS, ...OPTION_FIELDS, ...JOB_FIELDS }))
      expect(text).toContain(`| \`${name}\` |`);
    for (const [name, { properties = {} }] of Object.entries(ANSWER_SCHEMAS)) {
      if (
        !SELLING.includes(deployment) &&
        /Transfer$|^PaidResources$|^PaymentManifest$|^PaymentRequired$|^ReceiptKeys$/.test(name)
      )
        continue;
      const [, section = ''] = text.split(`\n### ${name}\n`);
      for (const member of Object.keys(properties as object)) expect(section).toContain(`- \`${member}\``);
    }
    const sells = SELLING.includes(deployment);
    for (const [code, { status }] of Object.entries(CODES).filter(([name]) => sells || !isOfPayment(name)))
      expect(text).toContain(`| ${status} | \`${code}\` |`);
    expect(text).not.toMatch(/undefined|\[object|\(\)/);
    // Nothing but what stands on this page is here to be read.
    expect(text).not.toMatch(/\]\((?!https:)/);
  });

  it.each(GIVING)(
    'of $name, where nothing is sold, speaks of no header and no refusal of payments',
    (deployment) => {
      const text = referenceText(deployment, ORIGIN);
      for (const said of ['X-PAYMENT', 'PAYMENT-SIGNATURE', '/payment/']) expect(text).not.toContain(said);
      for (const code of Object.keys(CODES).filter(isOfPayment)) expect(text).not.toContain(`\`${code}\``);
      const { paths } = describeApi(deployment, '1.0.0') as { paths: object };
      expect(JSON.stringify(paths)).not.toContain(`"name":"X-PAYMENT"`);
    },
  );

  it('begins as /llms.txt does, and is plain text', async () => {
    const service = fakeService();
    const { headers, text } = await ask(service, 'GET /llms-full.txt');
    expect(headers['Content-Type']).toBe('text/plain; charset=utf-8');
    expect(text.slice(0, 100)).toBe((await ask(service, 'GET /llms.txt')).text.slice(0, 100));
  });
});

describe('/llms.txt', () => {
  it.each([...SELLING, ...GIVING])('of $name names every tier with its price and its path', (deployment) => {
    const lines = guideText(deployment, ORIGIN).split('\n');
    for (const { id, path, priceMicroUsd } of deployment.tiers) {
      const line = lines.find((it) => it.startsWith(`- \`${id}\`, `)) ?? '';
      expect(line).toContain(`\`POST ${path}\``);
      expect(line).toContain(priceMicroUsd === 0n ? 'free of charge' : `${Number(priceMicroUsd) / 1e6} USD`);
    }
  });

  it.each([...SELLING, ...GIVING])(
    'of $name is a title, a summary, details, and lists of links',
    (deployment) => {
      const [head = '', ...sections] = guideText(deployment, ORIGIN).split(/^## .*\n/m);
      expect(head).toMatch(/^# Grainline\n\n> .+\n\n/);
      expect(head.slice(2)).not.toMatch(/^#/m);
      for (const line of sections.flatMap((section) => section.split('\n').filter(Boolean)))
        expect(line).toMatch(/^- \[.+\]\(https:\/\/chunks\.example\/.*\): .+$/);
      expect(sections.length).toBeGreaterThan(0);
    },
  );

  it('speaks of payments only where something is sold, and of jobs only where there are some', () => {
    const [primary = '', compact = ''] = SELLING.map((deployment) => guideText(deployment, ORIGIN));
    expect(primary).toContain('X-PAYMENT');
    expect(primary).toContain('status_url');
    expect(compact).toContain('X-PAYMENT');
    expect(compact).not.toContain('status_url');
    for (const deployment of GIVING) expect(guideText(deployment, ORIGIN)).not.toContain('X-PAYMENT');
  });

  it('polls a job until it is completed or failed, as every other description does', () => {
    const primary = deploymentOf({ deployment: 'primary', payments: 'on', payTo: PAY_TO });
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/http-api.md'), 'utf8');
    const described = [guideText(primary, ORIGIN), referenceText(primary, ORIGIN), page].map((text) =>
      text.split('\n').filter((line) => /\bevery second or two\b/.test(line)),
    );
    for (const lines of described) {
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toMatch(/until .*`completed` or `failed`/);
    }
  });

  it('is plain text, and its links lead somewhere', async () => {
    const service = fakeService();
    const { headers, text } = await ask(service, 'GET /llms.txt');
    expect(headers['Content-Type']).toBe('text/plain; charset=utf-8');
    const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => new URL(link).pathname);
    expect(links).toEqual(['/openapi.json', '/llms-full.txt', '/']);
    for (const path of links) expect((await ask(service, `GET ${path}`)).status).toBe(200);
  });

  it('shows a call that works', async () => {
    const { text } = await ask(fakeService(), 'GET /llms.txt');
    const [call = ''] = /\{"tier".+?\}/.exec(text) ?? [];
    const body = call.replace('"url": "https://…"', '"text": "Some text."');
    expect(body).not.toBe(call);
    expect((await ask(fakeService(), 'POST /chunk', { body })).status).toBe(200);
  });
});

describe('/.well-known/x402', () => {
  it('names addresses that ask for a payment', async () => {
    const { json } = await ask(paidService(), 'GET /.well-known/x402');
    const paths = (json['resources'] as string[]).map((address) => new URL(address).pathname);
    expect(paths).toEqual(['/chunk', '/chunk/structure', '/chunk/semantic', '/chunk/ai', '/chunk/ai-pro']);
    for (const path of ['/chunk', '/chunk/structure']) {
      const body = path === '/chunk' ? JSON.stringify({ text: 'Some text.' }) : form('Some text.');
      const answer = await ask(paidService(), `POST ${path}`, { body });
      expect([path, answer.status]).toEqual([path, 402]);
    }
  });

  it('is not there where nothing is sold', async () => {
    expect((await ask(fakeService({ PAYMENTS: 'off' }), 'GET /.well-known/x402')).status).toBe(404);
    for (const deployment of GIVING) expect(paidResourcesText(deployment, ORIGIN)).toBeUndefined();
  });
});

describe('the description of the API', () => {
  type Priced = Readonly<Record<'post', { readonly 'x-payment-info'?: object }>>;
  const pathsOf = (deployment: Deployment): Readonly<Record<string, Priced>> =>
    (describeApi(deployment, '1.0.0') as { paths: Record<string, Priced> }).paths;

  it('says what chunks cost, and that payments themselves cost nothing', () => {
    const [primary, compact] = SELLING.map(pathsOf);
    const range = (min: string, max: string): object => ({
      price: { mode: 'dynamic', currency: 'USD', min, max },
      protocols: [{ x402: {} }],
    });
    for (const path of ['/chunk', '/chunk/{tier}']) {
      expect(primary?.[path]?.post['x-payment-info']).toEqual(range('0.002', '0.025'));
      expect(compact?.[path]?.post['x-payment-info']).toEqual(range('0.001', '0.008'));
    }
    expect(primary?.['/payment/send']?.post['x-payment-info']).toBeUndefined();
    for (const paths of GIVING.map(pathsOf)) expect(JSON.stringify(paths)).not.toContain('x-payment-info');
  });

  it('guides as /llms.txt does', () => {
    for (const deployment of SELLING) {
      const { info } = describeApi(deployment, '1.0.0') as { info: { 'x-guidance': string } };
      expect(guideText(deployment, ORIGIN)).toContain(info['x-guidance']);
    }
  });
});
