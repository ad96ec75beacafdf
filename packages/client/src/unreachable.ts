// Explains a failed `fetch`: its cause has a code of the system, of OpenSSL or of undici. Browsers give no cause.

/** The meaning of a code, and the way out. */
interface Reason {
  readonly codes: RegExp;
  readonly meaning: string;
  readonly wayOut: string;
  /** True when the next attempt may succeed without any change. */
  readonly isPassing: boolean;
}

/** Reasons, by the first match. */
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
    // Five minutes without a byte; the next try takes as long.
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

const UNKNOWN_WAY_OUT = 'Correct the address.';
const OFFLINE = 'no connection to it can be made. Look whether this machine is connected, and try again.';

/**
 * The sentence for an error of `fetch`, and the prospects of the next try.
 *
 * @example
 * 'The service at 127.0.0.1:8402 cannot be reached: nothing listens on that port (ECONNREFUSED). Start the service, …'
 */
export function whyUnreachable(
  { cause }: TypeError,
  url: string,
): { readonly message: string; readonly isPassing: boolean } {
  const head = `The service at ${hostAndPort(url)} cannot be reached: `;
  if (cause === undefined) return { message: head + OFFLINE, isPassing: true };
  const { code, message = '' } = Object(cause) as { readonly code?: unknown; readonly message?: string };
  // `fetch` itself rejects redirects and blocked ports; these errors have no code.
  if (typeof code !== 'string') return { message: `${head}${message}. ${UNKNOWN_WAY_OUT}`, isPassing: false };
  const reason = REASONS.find(({ codes }) => codes.test(code));
  const { meaning, wayOut, isPassing } = reason ?? {
    meaning: message,
    wayOut: UNKNOWN_WAY_OUT,
    isPassing: true,
  };
  return { message: `${head}${meaning} (${code}). ${wayOut}`, isPassing };
}

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Host and port, without path and user, which may be secrets. */
function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? PORTS[protocol] : port}`;
}
