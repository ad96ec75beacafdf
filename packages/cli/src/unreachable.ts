// Why a service cannot be reached, in words: `fetch` itself says no more than that it failed, and hides a code of the
// system, of OpenSSL or of undici in its cause.
import { codeOf } from './errors.ts';

/** What a code means, and what its reader can do. */
interface Reason {
  readonly codes: RegExp;
  readonly meaning: string;
  readonly wayOut: string;
  /** Whether the next try may succeed without anybody's doing. */
  readonly isPassing: boolean;
}

/** Reasons, of which the first that fits is given. */
const REASONS: readonly Reason[] = [
  {
    codes: /^ECONNREFUSED$/,
    meaning: 'nothing listens on that port',
    wayOut: 'Start the service, or correct the port.',
    isPassing: false,
  },
  {
    codes: /^ENOTFOUND$/,
    meaning: 'there is no host of that name',
    wayOut: 'Correct the name.',
    isPassing: false,
  },
  {
    codes: /^EAI_AGAIN$/,
    meaning: 'names cannot be looked up at the moment',
    wayOut: 'Look whether this machine is connected, and try again.',
    isPassing: true,
  },
  {
    codes: /^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/,
    meaning: 'no way leads there from this machine',
    wayOut: 'Look at its network, and try again.',
    isPassing: true,
  },
  {
    codes: /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    meaning: 'it does not answer in time',
    wayOut: 'Look whether it runs and whether a firewall is in between, and try again.',
    isPassing: true,
  },
  {
    // Five minutes without a byte; what takes that long takes it the next time, too.
    codes: /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/,
    meaning: 'it took the request, and then said nothing for five minutes',
    wayOut: 'Look whether it is stuck, and try again later.',
    isPassing: false,
  },
  {
    codes: /^ERR_SSL_/,
    meaning: 'it does not speak https there',
    wayOut: 'Write http:// if that is meant, or correct the port.',
    isPassing: false,
  },
  {
    codes: /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/,
    meaning: 'its certificate is not one that is trusted here',
    wayOut:
      'Use the name that the certificate is for, have it renewed, or name the file of its authority in NODE_EXTRA_CA_CERTS.',
    isPassing: false,
  },
  {
    codes: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    meaning: 'the connection broke',
    wayOut: 'Try again; if it breaks again, look whether http or https is right.',
    isPassing: true,
  },
];

/**
 * What `fetch` refuses by itself, a redirect or a port that it never asks, has no code; others have one of the system.
 */
const UNKNOWN = { wayOut: 'Correct the address.', isPassing: false } as const;

/** Whether a `fetch` failed in a way that may be over by itself: then it is worth trying again. */
export function isPassing(error: unknown): boolean {
  const code = causeCode(error);
  return code !== undefined && (reasonFor(code)?.isPassing ?? true);
}

/** `127.0.0.1:8402 cannot be reached: nothing listens on that port (ECONNREFUSED). Start …` */
export function whyUnreachable(error: TypeError, url: string): string {
  const code = causeCode(error);
  const { meaning, wayOut } = reasonFor(code) ?? { ...UNKNOWN, meaning: messageOf(error) };
  const shown = code === undefined ? meaning : `${meaning} (${code})`;
  return `${placeOf(url)} cannot be reached: ${shown}. ${wayOut}`;
}

function reasonFor(code: string | undefined): Reason | undefined {
  return code === undefined ? undefined : REASONS.find(({ codes }) => codes.test(code));
}

function causeCode(error: unknown): string | undefined {
  return error instanceof Error ? codeOf(error.cause) : undefined;
}

function messageOf({ cause, message }: TypeError): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Host and port; no path and no user, which may be secrets. */
function placeOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? PORTS[protocol] : port}`;
}
