// The address with which links in answers begin. A stranger's Host header never gets into a link.
import { isLoopback } from '../settings/settings.ts';

/** `http://127.0.0.1:8402`: no slash at the end. */
export type Origin = (hostHeader: string | undefined) => string;

/**
 * PUBLIC_URL when it is set. Otherwise the service listens on loopback only, and the Host that a client
 * wrote is taken when it is a name of this very port on loopback; any other gives the listening address.
 *
 * @param listening the address of the socket, `http://127.0.0.1:8402`
 */
export function createOrigin(publicUrl: string | undefined, listening: string): Origin {
  if (publicUrl !== undefined) return () => publicUrl;
  const { port } = new URL(listening);
  return (hostHeader) => {
    const asked = /^[\w.:[\]-]+$/.test(hostHeader ?? '') ? URL.parse(`http://${hostHeader ?? ''}`) : null;
    const matches =
      asked !== null && asked.port === port && isLoopback(asked.hostname.replace(/^\[|\]$/g, ''));
    return matches ? asked.origin : listening;
  };
}
