import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnections } from './connections.ts';

/** Connections of clients by their names, in the order in which they come: `a0`, `a1`, `b2`. */
function arrive(connections: ReturnType<typeof createConnections>, clients: string): Map<string, Socket> {
  const sockets = new Map<string, Socket>();
  for (const [index, client] of clients.split('').entries()) {
    const socket = new Socket();
    sockets.set(`${client}${index}`, socket);
    connections.add(socket, client);
  }
  return sockets;
}

/** Each has come longer ago than a first request takes. */
const createOld = (most: number): ReturnType<typeof createConnections> => {
  let nowMs = 0;
  return createConnections(most, () => (nowMs += 1_000));
};

const ended = (sockets: ReadonlyMap<string, Socket>): string[] =>
  [...sockets].filter(([, { destroyed }]) => destroyed).map(([name]) => name);

describe('more connections than may be open', () => {
  it('end those that have been idle for longest', () => {
    const connections = createOld(3);
    const sockets = arrive(connections, 'aaa');
    connections.begin(sockets.get('a0')!)();
    arrive(connections, 'a');
    expect(ended(sockets)).toEqual(['a1']);
  });

  it('end those of whoever has most of them, however new', () => {
    const connections = createOld(6);
    const sockets = arrive(connections, 'abccccdcc');
    expect(ended(sockets)).toEqual(['c2', 'c3', 'c4']);
  });

  it('never end one that is at work, and are told when that leaves no room', () => {
    let nowMs = 0;
    const connections = createConnections(2, () => nowMs);
    const sockets = arrive(connections, 'aa');
    const ends = [...sockets.values()].map((socket) => connections.begin(socket));
    nowMs = 5_000;
    const more = arrive(connections, 'b');
    expect(ended(sockets)).toEqual([]);
    expect(connections.isBeyond(more.get('b0')!)).toBe(true);
    // At once when one of them is answered.
    ends[0]!();
    ends[1]!();
    const [next] = arrive(connections, 'c').values();
    expect(connections.isBeyond(next!)).toBe(false);
    expect(ended(sockets)).toEqual(['a0', 'a1']);
  });

  it('has at work whoever has asked twice and been answered once', () => {
    const connections = createOld(1);
    const sockets = arrive(connections, 'a');
    const [end] = [1, 2].map(() => connections.begin(sockets.get('a0')!));
    end!();
    arrive(connections, 'b');
    expect(ended(sockets)).toEqual([]);
  });

  it('do not end one that has just come, whose request is on its way', () => {
    let nowMs = 0;
    const connections = createConnections(2, () => nowMs);
    const sockets = arrive(connections, 'aa');
    // What has been answered is idle at once.
    connections.begin(sockets.get('a1')!)();
    nowMs = 999;
    const more = arrive(connections, 'bb');
    expect([ended(sockets), ended(more)]).toEqual([['a1'], []]);
    expect([...more.values()].map((socket) => connections.isBeyond(socket))).toEqual([false, true]);
    nowMs = 1_100;
    arrive(connections, 'c');
    expect([ended(sockets), ended(more)]).toEqual([['a0', 'a1'], []]);
  });

  it('are ended when 256 wait to be refused', () => {
    const connections = createConnections(1, () => 0);
    const sockets = arrive(connections, 'a'.repeat(300));
    const names = [...sockets.keys()];
    expect(ended(sockets)).toEqual(names.slice(257));
    expect(names.filter((name) => connections.isBeyond(sockets.get(name)!))).toEqual(names.slice(1, 257));
  });

  it('end a sixty-fourth part at once', () => {
    const connections = createOld(640);
    const sockets = arrive(connections, 'a'.repeat(640));
    arrive(connections, 'b');
    expect(ended(sockets)).toHaveLength(10);
    arrive(connections, 'b'.repeat(9));
    expect(ended(sockets)).toHaveLength(10);
  });
});

describe('connections at the end of the service', () => {
  it('go when nothing runs on them: at once, or as soon as their last request is over', () => {
    const connections = createConnections(8, () => 0);
    const sockets = arrive(connections, 'abc');
    const ends = ['b1', 'b1', 'c2'].map((name) => connections.begin(sockets.get(name)!));
    connections.endIdle();
    expect(ended(sockets)).toEqual(['a0']);
    ends[0]!();
    expect(sockets.get('b1')!.writableEnded).toBe(false);
    ends[1]!();
    expect(sockets.get('b1')!.writableEnded).toBe(true);
    expect(sockets.get('c2')!.writableEnded).toBe(false);
  });
});
