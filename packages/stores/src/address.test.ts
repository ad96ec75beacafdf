// URLs of stores: their parts, the refusals, and the law that no output has a credential.
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { describe, expect, it } from 'vitest';
import { maskSecrets, maskUrl, parseAddress, type UrlRules } from './address.ts';
import { openStore } from './open.ts';
import { storeTable } from './table.ts';

const RULES: UrlRules = {
  schemes: ['base'],
  form: 'base://KEY@HOST/COLLECTION',
  kind: 'server',
  port: 1234,
  path: 'collection',
  parameters: ['region'],
  environment: { secret: 'BASE_KEY' },
};

describe('the URL of a store', () => {
  it('has host, port, collection, parameters and credentials', () => {
    expect(parseAddress('base://us%40er:p%2Fw@db.example:99/notes?region=eu', RULES, {})).toMatchObject({
      host: 'db.example',
      port: 99,
      tls: true,
      user: 'us@er',
      secret: 'p/w',
      collection: 'notes',
      masked: 'base://***@db.example:99/notes?region=eu',
    });
  });

  it('takes a key in either place, else from the environment, and defaults for the rest', () => {
    for (const url of ['base://key@127.0.0.1', 'base://:key@127.0.0.1'])
      expect(parseAddress(url, RULES, { BASE_KEY: 'other' })).toMatchObject({ secret: 'key', tls: false });
    expect(parseAddress('base://localhost', RULES, { BASE_KEY: 'other' })).toMatchObject({
      secret: 'other',
      port: 1234,
      collection: 'grainline',
    });
    expect(parseAddress('base://localhost', RULES, {}).secret).toBeUndefined();
  });

  it('is refused with all its faults and the right form', () => {
    const wrong = () => parseAddress('base://key@host/Bad-Name?colour=red&tls=maybe', RULES, {});
    expect(wrong).toThrow(
      /colour is none of its parameters.*tls must be.*the collection must be.*base:\/\/KEY@HOST/,
    );
    expect(wrong).not.toThrow(/key@/);
    expect(() => parseAddress('base:', RULES, {})).toThrow('it has no host');
  });

  it('has a folder, percent-encoded or not', () => {
    const rules: UrlRules = { ...RULES, kind: 'folder', path: 'none' };
    for (const [url, folder] of [
      ['base:./50%25%20of%3F?collection=notes', './50% of?'],
      ['base:./100%', './100%'],
    ] as const)
      expect(parseAddress(url, rules, {}).folder).toBe(folder);
    for (const url of ['base:', 'base:?collection=notes'])
      expect(() => parseAddress(url, rules, {})).toThrow('it has no folder');
  });

  it('never shows a credential, whatever characters it has', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (secret) => {
        const marked = `q7${secret.toWellFormed()}7q`;
        const encoded = encodeURIComponent(marked);
        expect(maskUrl(`base://user:${encoded}@host/notes`)).toBe('base://***@host/notes');
        expect(maskUrl(`base://host/notes?api_key=${encoded}&a=1`)).toBe('base://host/notes?api_key=***&a=1');
        const { secrets } = parseAddress(`base://user:${encoded}@host/notes`, RULES, {});
        const masked = maskSecrets(`refused ${marked} or ${encoded}`, secrets);
        expect(masked).toBe('refused *** or ***');
      }),
      cases(100),
    );
  });
});

describe('openStore', () => {
  it('names all schemes for one that it does not know, without the credentials', async () => {
    const opening = openStore('mysql://root:hidden@host/db');
    await expect(opening).rejects.toMatchObject({ code: 'invalid_url' });
    await expect(opening).rejects.not.toThrow('hidden');
    for (const { url } of storeTable()) await expect(opening).rejects.toThrow(url.split(':')[0]!);
  });

  it('names the packages to install when a client is missing', async () => {
    const load = () => Promise.reject(new Error('Cannot find package'));
    for (const { url, clients } of storeTable().filter((row) => row.clients.length > 0)) {
      const opening = openStore(
        url.replace(/\[.*/, '').replace(/NAMESPACE|NAME|COLLECTION|INDEX/g, 'notes'),
        { load },
      );
      await expect(opening).rejects.toMatchObject({ code: 'client_missing' });
      await expect(opening).rejects.toThrow(`npm install ${clients.join(' ')}`);
    }
  });
});
