// The begin of links in answers. A foreign Host header never gets into a link.
import { isLoopback } from '../settings/settings.ts';

/** `http://127.0.0.1:8402`: no slash at the end. */
export type OriginResolver = (hostHeader: string | undefined) => string;

/**
 * PUBLIC_URL when it is set. Otherwise the service listens on loopback only. The client's Host is used when it names
 * this port on loopback; any other gives the listening address.
 *
 * @param listening the address of the socket, `http://127.0.0.1:8402`
 */
export function createOriginResolver(publicUrl: string | undefined, listening: string): OriginResolver {
  if (publicUrl !== undefined) return () => publicUrl;
  const { port } = new URL(listening);
  return (hostHeader) => {
    const named = /^[\w.:[\]-]+$/.test(hostHeader ?? '') ? URL.parse(`http://${hostHeader ?? ''}`) : null;
    const matches =
      named !== null && named.port === port && isLoopback(named.hostname.replace(/^\[|\]$/g, ''));
    return matches ? named.origin : listening;
  };
}
