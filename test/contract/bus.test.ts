import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bus, Envelope } from '../../lib/ports/bus/bus.ts';
import { eventBridgeBus } from '../../lib/ports/bus/eventbridge.ts';
import { entriesMax, entryBytesMax } from '../../lib/ports/bus/limits.ts';
import { memoryBus } from '../../lib/ports/bus/memory.ts';
import { Environment } from '../simulation/environment.ts';
import { Faults } from '../simulation/faults.ts';
import { Kernel } from '../simulation/kernel.ts';
import { busPort } from '../simulation/ports/bus.ts';
import { allOf } from '../simulation/watching.ts';

const type = 'node.joined';
const anEvent = (seq: number, text = ''): Envelope => ({
  specversion: '1.0',
  id: `node/n1#${seq}`,
  source: 'muster/test',
  type,
  subject: 'node/n1',
  time: '2026-01-01T12:00:00.000Z',
  dataschema: `muster:${type}:1`,
  datacontenttype: 'application/json',
  eventseq: seq,
  because: 'its boot is acknowledged',
  data: { text },
});

/** An event whose entry takes so many bytes: source, type and detail. */
function anEventOf(bytes: number, seq = 0, letter = 'x'): Envelope {
  const bare = 'muster'.length + type.length + JSON.stringify(anEvent(seq)).length;
  const left = bytes - bare;
  const wide = Buffer.byteLength(letter);
  return anEvent(seq, letter.repeat(Math.floor(left / wide)) + 'y'.repeat(left % wide));
}

/** A bus, what has come out of it, and its end. */
type Opened = {
  readonly bus: Bus;
  readonly heard: readonly number[];
  readonly run?: <T>(work: Promise<T>) => Promise<T>;
  readonly close: () => void;
};

function inMemory(): Opened {
  const heard: number[] = [];
  const bus = memoryBus(0);
  bus.subscribe(({ eventseq }) => void heard.push(eventseq));
  return { bus, heard, close: () => undefined };
}

/** The bus of the simulation, without faults; its calls are answered when virtual time passes. */
function simulated(): Opened {
  const heard: number[] = [];
  const kernel = new Kernel(1);
  const config = {
    seed: 1,
    shape: 'aws',
    faults: {},
    nodes: 0,
    clients: 0,
    admins: 0,
    automation: false,
    slots: 1024,
    faultMs: 0,
  } as const;
  const faults = new Faults(config, kernel);
  const settings = {} as Environment['settings'];
  const environment = new Environment({ kernel, faults }, { name: 'publish', version: 'present', settings, clockOffMs: 0 });
  const bus = busPort(environment, { kernel, faults, watch: allOf([{ heard: ({ eventseq }) => void heard.push(eventseq) }]) });
  const run = async <T>(work: Promise<T>): Promise<T> => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    await kernel.run((kernel.now + 60_000) as typeof kernel.now, () => false);
    await settled;
    return work;
  };
  return { bus, heard, run, close: () => undefined };
}

/** EventBridge, which refuses calls of more than ten entries or of more bytes than it took before 2026. */
async function inEventBridge(): Promise<Opened> {
  const heard: number[] = [];
  const server = createServer(async (request, response) => {
    const { Entries } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { Entries: Record<string, string>[] };
    const bytes = Entries.reduce((sum, { Source, DetailType, Detail }) => sum + Buffer.byteLength(`${Source}${DetailType}${Detail}`), 0);
    const isRefused = Entries.length > entriesMax || bytes >= 256 * 1024;
    if (!isRefused) heard.push(...Entries.map(({ Detail }) => (JSON.parse(Detail!) as Envelope).eventseq));
    const body = isRefused
      ? { __type: 'com.amazonaws#ValidationException', message: 'over the limit' }
      : { FailedEntryCount: 0, Entries: [] };
    response
      .writeHead(isRefused ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1', connection: 'close' })
      .end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new EventBridgeClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
  });
  return { bus: eventBridgeBus({ client, busName: 'muster' }), heard, close: () => server.close() };
}

describe.each([
  { name: 'in memory, as the embedded host has it', open: inMemory },
  { name: 'of the simulation', open: simulated },
  { name: 'in EventBridge', open: inEventBridge },
])('a bus $name', ({ open }) => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());
  const publish = (...events: Envelope[]): Promise<void> => {
    const { bus, run } = opened;
    return run ? run(bus.publish(events)) : bus.publish(events);
  };
  const heard = (): number[] => [...opened.heard].sort((a, b) => a - b);

  test('takes any number of events', async () => {
    const numbers = Array.from({ length: 3 * entriesMax + 1 }, (_, n) => n);
    await publish(...numbers.map((n) => anEvent(n)));
    expect(heard()).toEqual(numbers);
  });

  test('takes the largest entry, by bytes and not by characters, and as many of them as come', async () => {
    await publish(anEventOf(entryBytesMax, 0), anEventOf(entryBytesMax, 1, 'é'), anEvent(2));
    expect(heard()).toEqual([0, 1, 2]);
  });

  test.each(['x', 'é'])('refuses an entry of a byte more for good, of %s, and its neighbours with it', async (letter) => {
    await expect(publish(anEvent(0), anEventOf(entryBytesMax + 1, 1, letter))).rejects.toMatchObject({
      code: 'bus.too-large',
      retry: 'never',
      message: `event node/n1#1 (node.joined) takes ${entryBytesMax + 1} B on the bus; the limit is ${entryBytesMax} B`,
    });
    expect(heard()).toEqual([]);
  });
});
