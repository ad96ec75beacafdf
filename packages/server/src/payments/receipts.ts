// Signed receipts of delivered answers: JWS (RFC 7515) by Ed25519 (RFC 8037) over the request, the source, the chunks
// and the payment, so that a client proves a delivery to anybody, without the service.
//
// Header and claims are those of receipts in the x402 extension `offer-receipt` (version 1, section 5), with further
// claims. The key id is a DID URL of did:web; its fragment is the key's thumbprint (RFC 7638), which names the key in
// /.well-known/jwks.json too.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { canonicalJson } from '@grainline/core/formats';
import type { PipelineResult } from '../sandbox/index.ts';
import { SettingsError } from '../settings/settings.ts';

/** The claims of a receipt that are known before the work. Amounts are in the smallest unit of the asset. */
export interface PaymentClaims {
  /** Address of the paid request. */
  readonly resourceUrl: string;
  /** CAIP-2 name of the chain. */
  readonly network: string;
  readonly payer: string;
  readonly transaction: string;
  /** Fingerprint of the canonical request, as in the memo of its payment: SHA-256 in base64url. */
  readonly requestHash: string;
  readonly tier: string;
  readonly amount: string;
  /** Mint of the asset. */
  readonly asset: string;
}

/** Signs receipts, and publishes the keys. */
export interface ReceiptSigner {
  /** The receipt in compact form. `nowMs` is the moment of the delivery. */
  sign(claims: PaymentClaims, result: PipelineResult, nowMs: number): string;
  /** The body of `/.well-known/jwks.json` (RFC 7517): the signing key first, then retired ones. */
  readonly keys: { readonly keys: readonly PublishedKey[] };
}

interface PublishedKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

const PEM_BLOCK = /-----BEGIN (PRIVATE|PUBLIC) KEY-----[\s\S]*?-----END \1 KEY-----/g;
const OTHERS_MAY_READ = 0o077;

/**
 * Opens the file of RECEIPT_KEY_FILE: PEM blocks, the private key that signs first, then retired keys, private or
 * public, which are only published.
 *
 * @param version version of the service, for the receipts
 * @throws SettingsError
 */
export async function openReceiptSigner(file: string, version: string): Promise<ReceiptSigner> {
  const keys = parseKeys(await readKeyFile(file));
  const [first] = keys;
  if (first?.type !== 'private')
    throw keyError('must begin with a private key: openssl genpkey -algorithm ed25519 -out receipts.pem');
  if (keys.some(({ asymmetricKeyType }) => asymmetricKeyType !== 'ed25519'))
    throw keyError('has a key of another kind than Ed25519');
  const published = keys.map(publish);
  const thumbprint = published[0]?.kid ?? '';
  return {
    keys: {
      keys: published.filter(({ kid }, index) => published.findIndex((key) => key.kid === kid) === index),
    },
    sign(claims, { hashes, metadata }, nowMs) {
      if (hashes === undefined) throw new Error('A result without hashes has no receipt.');
      const header = { alg: 'EdDSA', typ: 'JWT', kid: `${didOf(claims.resourceUrl)}#${thumbprint}` };
      const payload = {
        version: 1,
        ...claims,
        issuedAt: Math.floor(nowMs / 1000),
        sourceSha256: hashes.source,
        resultSha256: hashes.chunks,
        versions: { grainline: version, reader: metadata.reader },
      };
      const signed = `${encode(header)}.${encode(payload)}`;
      return `${signed}.${sign(null, Buffer.from(signed), first).toString('base64url')}`;
    },
  };
}

/** The document of did:web, by which clients of x402 find the keys of receipts. */
export function didDocument({ keys }: ReceiptSigner, origin: string): object {
  const id = didOf(origin);
  const methods = keys.keys.map((publicKeyJwk) => ({
    id: `${id}#${publicKeyJwk.kid}`,
    type: 'JsonWebKey2020',
    controller: id,
    publicKeyJwk,
  }));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id,
    verificationMethod: methods,
    assertionMethod: methods.map((method) => method.id),
  };
}

/** `did:web:example.org`, `did:web:localhost%3A8402`. */
function didOf(address: string): string {
  return `did:web:${encodeURIComponent(new URL(address).host)}`;
}

async function readKeyFile(file: string): Promise<string> {
  const failed = (cause: unknown): never => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    const wayOut = 'name one that the server may read; openssl genpkey -algorithm ed25519 makes a key';
    throw keyError(`cannot be read: ${code}; ${wayOut}`);
  };
  const { mode } = await stat(file).catch(failed);
  if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0)
    throw keyError('must be readable by its owner alone: chmod 600');
  return readFile(file, 'utf8').catch(failed);
}

function parseKeys(text: string): readonly KeyObject[] {
  return Array.from(text.matchAll(PEM_BLOCK), ([pem, kind]) => {
    try {
      return kind === 'PRIVATE' ? createPrivateKey(pem) : createPublicKey(pem);
    } catch {
      throw keyError('holds a block that is no key in PEM');
    }
  });
}

function publish(key: KeyObject): PublishedKey {
  const { x = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({
    format: 'jwk',
  });
  const required = { crv: 'Ed25519', kty: 'OKP', x } as const;
  const kid = hash('sha256', JSON.stringify(required), 'base64url');
  return { ...required, kid, alg: 'EdDSA', use: 'sig' };
}

function encode(value: object): string {
  return Buffer.from(canonicalJson(value)).toString('base64url');
}

function keyError(issue: string): SettingsError {
  return new SettingsError([`The file of RECEIPT_KEY_FILE ${issue}.`]);
}
