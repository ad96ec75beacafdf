// An answer whose bytes stop coming, on a real socket.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createExchange } from './exchange.ts';
import { toSendable, send } from './send.ts';

it('an answer that stands still ends with its client, and so does what it is made of', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const exchange = createExchange(request, response, { waitsForContinue: false, client: 'a' });
  const body = new Readable({ read: () => undefined });
  body.push('The first of its bytes.');
  const answer = toSendable({ status: 200, headers: {}, body });
  const sent = send(exchange, answer, { isFinal: false, lingerMs: 0 }).catch(
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );
  await once(client, 'data');
  client.destroy();
  expect(await sent).toBe('ERR_STREAM_PREMATURE_CLOSE');
  expect(body.destroyed).toBe(true);
  server.close();
});
