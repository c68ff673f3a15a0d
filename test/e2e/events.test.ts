import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { Fqdn } from '../../lib/core/ids.ts';
import type { CommittedEvent } from '../../lib/ports/table/table.ts';
import { aRow, put } from '../../tools/support/a-row.ts';
import { aClient, aNodeUp } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type Received, readEvents, type StreamReader } from '../support/event-stream.ts';
import { rawCall, refusalIn } from '../support/raw-call.ts';

let home: string;
let host: TestHost;
let readers: StreamReader[];
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'muster-'));
  host = await aHost({ home, beatMinMs: 60_000 });
  readers = [];
});
afterEach(async () => {
  for (const reader of readers) reader.close();
  await host.stop();
  rmSync(home, { recursive: true });
});

const read = async (lastEventId?: string): Promise<StreamReader> => {
  const reader = await readEvents(host.url, lastEventId);
  readers.push(reader);
  return reader;
};
const restart = async (): Promise<void> => {
  await host.stop();
  host = await aHost({ home, beatMinMs: 60_000 });
};
/** Makes one more event, by which a reader knows that nothing comes before it any more. */
const knock = async (fqdn: string): Promise<string> => {
  const client = aClient(host.url, fqdn);
  await client.knock();
  return `client/${client.fp}#1`;
};
/** What came up to and with the event of this id. */
const upTo = async (reader: StreamReader, id: string): Promise<readonly Received[]> => {
  await eventually(`${id} comes`, async () => reader.received.some(({ event }) => event.id === id));
  return [...reader.received];
};
const idsOf = (received: readonly Received[]): string[] => received.map(({ event }) => event.id);

/** A node that joins, is dropped and joins again as new: the last of these commits two events of one row at once. */
const aStory = async (): Promise<void> => {
  const node = await aNodeUp(host.url, 'node1.acme.org');
  await apiAt(host.url)(contract.dropNode, { params: { id: node.id }, body: {} });
  const statusIs = (status: string) =>
    eventually(`the node is ${status}`, async () => {
      const seen = await apiAt(host.url)(contract.getNode, { params: { id: node.id } });
      return seen.ok && seen.body.status === status;
    });
  await statusIs('dropped');
  await apiAt(host.url)(contract.admitHosts, { body: { hosts: ['node1.acme.org' as Fqdn] } });
  await node.up(1);
  await statusIs('joining');
};

describe('the stream of events', () => {
  it('sends what is concluded, as it goes out, in CloudEvents and in the order of the commits', async () => {
    const reader = await read();
    await aStory();
    const received = await upTo(reader, await knock('web1.acme.org'));

    const types = received.map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('node.'))).toEqual([
      'node.joined',
      'node.activated',
      'node.dropped',
      'node.readmitted',
      'node.joined',
    ]);
    expect(types.at(-1)).toBe('client.seen');
    for (const { type, event } of received) {
      expect(event).toMatchObject({ specversion: '1.0', source: 'muster/local', type, datacontenttype: 'application/json' });
      expect([event.id, event.dataschema]).toEqual([`${event.subject}#${event.eventseq}`, `muster:${type}:1`]);
      expect(new Date(event.time).toISOString()).toBe(event.time);
    }
    for (const [subject, events] of Map.groupBy(received, ({ event }) => event.subject))
      expect(
        events.map(({ event }) => event.eventseq),
        subject,
      ).toEqual(events.map((_, n) => n + 1));
  });

  it('tells every reader the same, and the history agrees', async () => {
    const [one, two] = [await read(), await read()];
    const id = await knock('web1.acme.org');
    expect(await upTo(one, id)).toEqual(await upTo(two, id));

    const fp = id.slice('client/'.length, -2);
    const history = await eventually('the history has it', async () => {
      const answer = await apiAt(host.url)(contract.history, { params: { kind: 'system', id: fp }, query: {} });
      return answer.ok && answer.body.items.length === 1 && answer.body.items;
    });
    const { event } = one.received.at(-1)!;
    expect(history).toMatchObject([{ seq: event.eventseq, type: event.type, at: event.time, data: event.data }]);
  });

  it('is read with GET, looked at with HEAD, and no other method', async () => {
    const refused = await rawCall(host.url, { method: 'POST', path: '/api/v1/events' });
    expect([refusalIn(refused), refused.headers['allow']]).toEqual([[405, 'wrong-method'], 'GET, HEAD']);
  });
});

describe('a reader that comes back', () => {
  it('gets exactly what it has missed behind any event, also between two of one commit, also after a restart', async () => {
    const first = await read();
    await aStory();
    const all = await upTo(first, await knock('web1.acme.org'));
    const offsets = all.map(({ id }) => id.split('.')[0]);
    expect(new Set(offsets).size).toBeLessThan(offsets.length);

    await restart();
    const sentinel = await knock('web2.acme.org');
    for (const [n, { id }] of all.entries())
      expect(idsOf(await upTo(await read(id), sentinel)), `after ${id}`).toEqual([...idsOf(all.slice(n + 1)), sentinel]);
  });

  it('gets everything that is still there when it says that it has seen nothing', async () => {
    const first = await read();
    await aStory();
    const all = await upTo(first, await knock('web1.acme.org'));
    expect(idsOf(await upTo(await read('0.0'), idsOf(all).at(-1)!))).toEqual(idsOf(all));
  });

  it.each(['999999.0', 'yesterday', '1', '-1.0', ''])('with an id that is none of ours (%j) begins with what comes next', async (id) => {
    await knock('web1.acme.org');
    await host.settled();
    const reader = await read(id);
    const next = await knock('web2.acme.org');
    expect(idsOf(await upTo(reader, next))).toEqual([next]);
  });

  it('gets a day of events, however much that is', async () => {
    const note = 'x'.repeat(400);
    const event: CommittedEvent = { type: 'client.seen', version: 1, data: { note }, seq: 1 };
    const batches = 40;
    for (let n = 0; n < batches; n++)
      await host.shell.table.commit(
        Array.from({ length: 100 }, (_, i) => put(aRow({ pk: `client#${n}-${i}`, sk: 'client', events: [event], eventSeq: 1 }))),
      );
    const id = `client/${batches - 1}-99#1`;
    await eventually('all is published', async () => (await read('0.0')).come(1));

    const received = await upTo(await read('0.0'), id);
    expect(received).toHaveLength(batches * 100);
    expect(idsOf(received)).toEqual(Array.from({ length: batches * 100 }, (_, k) => `client/${Math.floor(k / 100)}-${k % 100}#1`));
  });
});

describe('the journal of changes', () => {
  const changes = async (query: { after?: string; since?: string } = {}) => {
    const { items, next } = await eventually('changes are answered', async () => {
      const answer = await apiAt(host.url)(contract.listChanges, { query: { ...query, limit: 200 } });
      return answer.ok && answer.body;
    });
    return { items, next };
  };

  it('has the events of the stream, in the same form and order', async () => {
    const reader = await read();
    const began = await changes();
    await aStory();
    const received = await upTo(reader, await knock('web1.acme.org'));
    await host.settled();
    const { items } = await changes({ after: began.next });
    expect(items.filter(({ subject }) => subject.startsWith('node/'))).toEqual(
      received.map(({ event }) => event).filter(({ subject }) => subject.startsWith('node/')),
    );
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set(idsOf(received)));
    expect(items.find(({ type }) => type === 'node.dropped')).toMatchObject({ because: 'an operator gave it up' });
  });

  it('is continued after a restart without a hole or a repeat', async () => {
    const began = await changes();
    await aStory();
    await host.settled();
    const first = await changes({ after: began.next });
    await restart();
    const id = await knock('web1.acme.org');
    await host.settled();
    const second = await changes({ after: first.next });
    expect(second.items.map((event) => event.id)).toEqual([id]);
    expect((await changes({ after: began.next })).items).toEqual([...first.items, ...second.items]);
  });

  it('continues a stream that was cut off, from the time of its last event', async () => {
    const reader = await read();
    const first = await knock('web1.acme.org');
    const last = (await upTo(reader, first)).at(-1)!;
    reader.close();
    const missed = [await knock('web2.acme.org'), await knock('web3.acme.org')];
    await host.settled();
    const { items } = await changes({ since: last.event.time });
    expect(items.map(({ id }) => id).filter((id) => id !== first)).toEqual(missed);
  });
});
