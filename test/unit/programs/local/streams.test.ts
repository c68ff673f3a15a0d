import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Storage } from '../../../../lib/ports/storage/storage.ts';
import type { Feed } from '../../../../lib/ports/table/file-feed.ts';
import type { CommittedEvent } from '../../../../lib/ports/table/table.ts';
import type { FeedFunction } from '../../../../lib/runtime/function.ts';
import { type EventStream, eventStream } from '../../../../programs/local/events.ts';
import { consumeFeed } from '../../../../programs/local/follow.ts';
import type { Loop } from '../../../../programs/local/loop.ts';
import { aRow, put } from '../../../../tools/support/a-row.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';
import { eventually } from '../../../../tools/support/host.ts';
import { asOperator } from '../../../../tools/support/operator.ts';
import { aStateFolder, type StateFolder } from '../../../support/a-state-file.ts';

let shell: TestShell;
let folder: StateFolder;
let storage: Storage;
beforeEach(() => {
  shell = aShell();
  folder = aStateFolder();
  storage = folder.open();
});
afterEach(() => folder.remove());

const event = (note: string): CommittedEvent => ({ type: 'client.seen', version: 1, data: { note }, seq: 1 });
const commit = (count: number, note = 'x') =>
  storage.table.commit(
    Array.from({ length: count }, (_, n) => put(aRow({ pk: `client#${n}`, sk: 'client', events: [event(note)], eventSeq: 1 }))),
  );

describe('a follower of the feed', () => {
  let following: Loop;
  afterEach(() => following.stop());
  const start = (handle: FeedFunction['handle'], feed: Feed = storage.feed, moved = () => undefined) => {
    following = consumeFeed('publish', { on: 'feed', handle }, shell, feed, moved);
  };

  it('hands images over in order, a hundred at the most, and says when it has moved on', async () => {
    const batches: number[][] = [];
    const positions: Promise<string>[] = [];
    await commit(100);
    await storage.table.commit([put(aRow({ pk: 'client#last', sk: 'client', events: [event('x')], eventSeq: 1 }))]);
    start(
      async (images) => void batches.push(images.map(({ offset }) => Number(offset))),
      storage.feed,
      () => void positions.push(storage.feed.position('publish')),
    );
    await eventually('all are handed over', async () => batches.flat().length === 101);
    expect(batches.map((batch) => batch.length)).toEqual([100, 1]);
    expect(batches.flat()).toEqual(Array.from({ length: 101 }, (_, n) => n + 1));
    await eventually('it has moved', async () => positions.length === 2);
    expect(await Promise.all(positions)).toEqual(['100', '101']);
  });

  it('hands the same images over again after transient failures, and skips none', async () => {
    const handed: string[][] = [];
    start(async (images) => {
      handed.push(images.map(({ offset }) => offset));
      if (handed.length === 1) throw new Error('the bus did not answer');
    });
    await commit(2);
    await eventually('it has failed', async () => handed.length === 1);
    expect(await storage.feed.position('publish')).toBe('0');
    following.wake();
    await eventually('it has moved', async () => (await storage.feed.position('publish')) === '2');
    expect(handed).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
    expect(shell.logged).toMatchObject([{ level: 'error', fields: { detail: expect.stringContaining('the bus did not answer') } }]);
  });

  it('hands over again what a crash left: its position is moved only behind what was done', async () => {
    const handed: string[] = [];
    const crashing: Feed = { ...storage.feed, moveTo: () => Promise.reject(new Error('killed')) };
    start(async (images) => void handed.push(...images.map(({ offset }) => offset)), crashing);
    await commit(1);
    await eventually('it was handed over', async () => handed.length === 1);
    await following.stop();
    const before = handed.length;
    start(async (images) => void handed.push(...images.map(({ offset }) => offset)));
    await eventually('and again', async () => handed.length === before + 1);
    expect(new Set(handed)).toEqual(new Set(['1']));
  });

  it('has handed over what was committed before it was stopped', async () => {
    const handed: string[] = [];
    start(async (images) => void handed.push(...images.map(({ offset }) => offset)));
    await commit(99);
    for (let n = 0; n < 5; n++)
      await storage.table.commit([put(aRow({ pk: `client#more${n}`, sk: 'client', events: [event('x')], eventSeq: 1 }))]);
    await following.stop();
    expect(handed).toHaveLength(104);
    expect(await storage.feed.position('publish')).toBe('104');
  });
});

describe('a reader of the event stream that takes nothing', () => {
  let stream: EventStream;
  let server: Server;
  let socket: Socket;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    stream = eventStream('publish', shell, storage.feed);
    server = createServer((request, response) => void stream.route(request, response, request.url!, '127.0.0.1'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // More than the sockets in between can hold.
    for (let n = 0; n < 40; n++)
      await storage.table.commit([put(aRow({ pk: `client#${n}`, sk: 'client', events: [event('x'.repeat(350 * 1024))], eventSeq: 1 }))]);
    await storage.feed.moveTo('publish', await storage.feed.last());
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.pause();
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\nlast-event-id: 0.0\r\nauthorization: ${asOperator.authorization}\r\n\r\n`,
    );
  });
  afterEach(async () => {
    socket.destroy();
    stream.close();
    await new Promise((resolve) => server.close(resolve));
    vi.useRealTimers();
  });

  it('is cut off when it has taken nothing between two pulses', async () => {
    const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    await eventually('it is connected', async () => (await connections()) === 1);
    await eventually('it is cut off', async () => {
      vi.advanceTimersByTime(15_000);
      return (await connections()) === 0;
    });
  });
});
