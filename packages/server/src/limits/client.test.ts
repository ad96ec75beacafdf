import { describe, expect, it } from 'vitest';
import { createClientIdentity } from './client.ts';

const direct = createClientIdentity([]);
const behind = createClientIdentity(['10.0.0.0/8', '127.0.0.1', '2001:db8:aaaa::/48']);

describe('the client of a request', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['64:ff9b::c000:208', '192.0.2.8'],
    ['64:ff9b:1::192.0.2.7', '64:ff9b:1::/64'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (address, client) => {
    expect(direct(address, undefined)).toBe(client);
  });

  it('is the socket whatever X-Forwarded-For says, when no proxy is trusted', () => {
    expect(direct('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7');
  });

  it.each([
    ['one proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['two proxies', '10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['a client that wrote the header itself', '10.1.2.3', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['a proxy that is not trusted', '198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['an IPv6 client', '10.1.2.3', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['an IPv4 client behind a translator', '10.1.2.3', '64:ff9b::c633:6401', '198.51.100.1'],
    ['an IPv6 proxy', '2001:db8:aaaa::1', '198.51.100.1', '198.51.100.1'],
    ['a mapped proxy', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['an address with a port', '127.0.0.1', '198.51.100.1:51234', '198.51.100.1'],
    ['an IPv6 address with a port', '127.0.0.1', '[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['an empty header', '127.0.0.1', '', '127.0.0.1'],
    ['no header', '127.0.0.1', undefined, '127.0.0.1'],
    ['what is no address', '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    ['a short spelling', '127.0.0.1', '127.1', '127.0.0.1'],
    ['only trusted proxies', '127.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
  ])('behind a trusted proxy, with %s', (_, socket, forwarded, client) => {
    expect(behind(socket, forwarded)).toBe(client);
  });
});
