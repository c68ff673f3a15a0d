import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decideApiKey } from '../../../../lib/access/api-keys/decide.ts';
import { ZoneName } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { rightsOf } from '../../../../lib/identity/rights.ts';
import type { Storage } from '../../../../lib/ports/storage/storage.ts';
import { apply } from '../../../../lib/runtime/apply.ts';
import { usualRates } from '../../../../lib/runtime/rates.ts';
import type { Shell } from '../../../../lib/runtime/shell.ts';
import { type EventStream, eventStream } from '../../../../programs/local/events.ts';
import { anEvent, aRow, put } from '../../../../tools/support/a-row.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { eventually } from '../../../../tools/support/host.ts';
import { operatorSecret } from '../../../../tools/support/operator.ts';
import { aStateFolder, type StateFolder } from '../../../support/a-state-file.ts';
import { aKey } from '../../../support/callers.ts';
import { readEvents, type StreamReader } from '../../../support/event-stream.ts';
import { rawCall, refusalIn } from '../../../support/raw-call.ts';

const alpha = ZoneName.parse('alpha');
/** Where calls come from, as a proxy in front says. */
const source = '192.0.2.7';
let folder: StateFolder;
let storage: Storage;
let shell: Shell;
let passedMs: number;
let stream: EventStream;
let server: Server;
let url: string;
let readers: StreamReader[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  folder = aStateFolder();
  storage = folder.open();
  passedMs = 0;
  const { now, ...rest } = aShell();
  shell = { ...rest, table: storage.table, now: () => (now() + passedMs) as EpochMs };
  stream = eventStream('publish', shell, storage.feed);
  server = createServer((request, response) => {
    response.setHeader('x-request-id', 'call-1');
    stream.route(request, response, request.url!, source);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  readers = [];
});
afterEach(async () => {
  for (const reader of readers) reader.close();
  stream.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  vi.useRealTimers();
  folder.remove();
});

/** Rows of a noun in a zone, each with an event, as far as `publish` has gone. */
async function happens(noun: string, ids: readonly string[], body: object): Promise<void> {
  const sk = noun === 'zone' ? 'head' : noun;
  await storage.table.commit(ids.map((id) => put(aRow({ pk: `${noun}#${id}`, sk, body, events: [anEvent(1)], eventSeq: 1 }))));
  await storage.feed.moveTo('publish', await storage.feed.last());
  stream.tell();
}
const read = async (bearer: string): Promise<StreamReader> => {
  const reader = await readEvents(url, '0.0', bearer);
  readers.push(reader);
  return reader;
};
const subjects = ({ received }: StreamReader): string[] => received.map(({ event }) => event.subject);

describe('the stream of events', () => {
  it('is for whoever may read, and for nobody else', async () => {
    const call = async (headers: Record<string, string>) => refusalIn(await rawCall(url, { path: '/api/v1/events', headers }));
    expect(await call({})).toEqual([401, 'sign-in-needed']);
    expect(await call({ authorization: 'Bearer mak_x' })).toEqual([401, 'bearer-invalid']);
    const { text } = await aKey(shell, {});
    expect(await call({ authorization: `Bearer ${text}` })).toEqual([403, 'insufficient-scope']);
    const attempts = (await storage.feed.read('0', 100)).filter(({ row }) => row.key.sk === 'attempt');
    expect(attempts.map(({ row }) => row.actor?.source)).toEqual([source, source]);
  });

  it('is asked for by nobody more often than a route of the API', async () => {
    const once = { perSecond: 1, burst: 2 };
    Object.assign(shell.settings, { rates: { ...usualRates, source: once } });
    const call = async () => refusalIn(await rawCall(url, { path: '/api/v1/events', headers: { authorization: 'Bearer mak_x' } }));
    expect([await call(), await call(), await call()]).toEqual([
      [401, 'bearer-invalid'],
      [401, 'bearer-invalid'],
      [429, 'rate-limited'],
    ]);
    passedMs = 10_000;
    Object.assign(shell.settings, { rates: { ...usualRates, admin: once } });
    const { text } = await aKey(shell, rightsOf(['read'], 'all'));
    await read(text);
    await read(text);
    expect(refusalIn(await rawCall(url, { path: '/api/v1/events', headers: { authorization: `Bearer ${text}` } }))).toEqual([
      429,
      'rate-limited',
    ]);
  });

  it('shows a reader the events of his zones, and goes on behind hundreds that are of others', async () => {
    const { text } = await aKey(shell, rightsOf(['read'], [alpha]));
    await happens('node', ['n1'], { zone: 'alpha' });
    await happens(
      'node',
      Array.from({ length: 90 }, (_, n) => `x${n}`),
      { zone: 'beta' },
    );
    for (let batch = 0; batch < 3; batch++)
      await happens(
        'client',
        Array.from({ length: 90 }, (_, n) => `x${batch}-${n}`),
        { standing: 'accepted', zone: 'beta' },
      );
    await happens('zone', ['beta'], { name: 'beta' });
    await happens('client', ['pooled'], { standing: 'pooled' });
    await happens('client', ['web1'], { standing: 'accepted', zone: 'alpha' });
    await happens('zone', ['alpha'], { name: 'alpha' });
    const limited = await read(text);
    await eventually('his events came', async () => limited.received.length >= 3);
    await happens('node', ['n2'], { zone: 'beta' });
    await happens('node', ['n3'], { zone: 'alpha' });
    await eventually('what comes next came', async () => limited.received.length >= 4);
    expect(subjects(limited)).toEqual(['node/n1', 'client/web1', 'zone/alpha', 'node/n3']);

    const operator = await read(operatorSecret);
    await eventually('all came', async () => operator.received.length === 1 + 90 + 270 + 4 + 2);
  });

  it('ends for a reader whose key is revoked, within 5 s', async () => {
    const { id, text } = await aKey(shell, rightsOf(['read'], 'all'));
    const [revoked, other] = [await read(text), await read(operatorSecret)];
    let [hasEnded, otherHasEnded] = [false, false];
    void revoked.ended.then(() => {
      hasEnded = true;
    });
    void other.ended.then(() => {
      otherHasEnded = true;
    });
    await apply(shell, { noun: 'api-key', id }, { type: 'revoke', id: 'r' } as const, decideApiKey);
    // What is known of a key may be 3 s old.
    passedMs = 4_500;
    vi.advanceTimersByTime(4_500);
    await eventually('it has ended', async () => hasEnded);
    await happens('node', ['n1'], { zone: 'alpha' });
    await eventually('the other goes on', async () => other.received.length === 1);
    expect({ of: subjects(revoked), otherHasEnded }).toEqual({ of: [], otherHasEnded: false });
  });
});
