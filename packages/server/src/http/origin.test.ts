import { describe, expect, it } from 'vitest';
import { createOriginResolver } from './origin.ts';

const LISTENING = 'http://127.0.0.1:8402';

describe('the begin of links', () => {
  const origin = createOriginResolver(undefined, LISTENING);

  it.each([
    ['127.0.0.1:8402', 'http://127.0.0.1:8402'],
    ['localhost:8402', 'http://localhost:8402'],
    ['LOCALHOST:8402', 'http://localhost:8402'],
    ['[::1]:8402', 'http://[::1]:8402'],
  ])('is the Host %s, a name of this very port', (host, expected) => {
    expect(origin(host)).toBe(expected);
  });

  it.each([
    undefined,
    '',
    'localhost',
    'localhost:80',
    'evil.example:8402',
    'localhost.evil.example:8402',
    'evil.example#localhost:8402',
    'user@localhost:8402',
    'localhost:8402/path',
    'localhost:8402\r\nX: y',
    '192.0.2.1:8402',
  ])('is the listening address when the Host is %s', (host) => {
    expect(origin(host)).toBe(LISTENING);
  });

  it('is PUBLIC_URL whatever the Host says', () => {
    expect(createOriginResolver('https://chunks.example/api', LISTENING)('localhost:8402')).toBe(
      'https://chunks.example/api',
    );
  });
});
