import { wiring } from '../../infra/wiring.ts';
import { isSame } from '../../lib/core/decision.ts';
import type { JournalRow } from '../../lib/journal/journal.ts';
import type { Host } from '../../lib/nodes/hosts/host.ts';
import type { Message, QueueName } from '../../lib/ports/queue/queue.ts';
import { copyStored } from '../../lib/ports/table/json.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { Away, type Cluster, Died } from './cluster.ts';
import type { Judge } from './invariants/index.ts';
import type { Kernel } from './kernel.ts';
import type { World } from './world/world.ts';

/** How long a call of a machine can be under way, in ms. */
const callsEndMs = 60_000;
/** What is older than any queue keeps cannot come again. */
const keptMs = 1000 * Math.max(...Object.values(wiring.queues).map(({ retentionSeconds }) => retentionSeconds));
/** Messages and images handed over at once. */
const batch = 10;

/**
 * Everything is handed over once more: what the queues ever took and are done with, then the feed from its beginning.
 * Not a byte of the table may change, but that the journal may name client systems again.
 */
export async function replay(world: World, kernel: Kernel, judge: Judge): Promise<void> {
  world.sources.stopped = true;
  // Calls that machines made before they fell silent are answered first; no sweep runs, so nobody is missed meanwhile.
  await kernel.run((kernel.now + callsEndMs) as typeof kernel.now);
  // What a sweep or a call committed since then has not gone out yet; handing it over below would be the first time.
  world.sources.drains = true;
  const isQuiet = (): boolean => world.sources.fed && world.cluster.environments.every(({ busy }) => busy === 0);
  await kernel.run(Number.MAX_SAFE_INTEGER as typeof kernel.now, isQuiet);
  const before = textOf(world);
  let done = false;
  void again(world, () => kernel.now).finally(() => {
    done = true;
  });
  await kernel.run(Number.MAX_SAFE_INTEGER as typeof kernel.now, () => done || judge.isOver());
  const after = textOf(world);
  for (const [name, text] of after) {
    if (before.get(name) === text || isConfirmedLate(world, before.get(name), text) || isNamedAgain(before.get(name), text)) continue;
    judge.violated('replay-changes-nothing', `${name.replace('\u0000', '|')} was\n  ${before.get(name)}\nand is\n  ${text}`);
  }
}

/**
 * Whether facts of a host have another moment and are as they were. The version before, which a deploy runs beside the
 * present one, wrote none for a node-up that brought nothing new. And where a zone has stations, a node-up that met no
 * quorum was not acknowledged: when it comes again it may be of the boot that an earlier one has acknowledged since.
 */
function isConfirmedLate({ cluster }: World, before: string | undefined, after: string): boolean {
  const [was, is] = [before, after].map((text) => (text === undefined ? undefined : (JSON.parse(text) as Row)));
  const mayHaveWaited = [...cluster.store.rows.rows.values()].some(({ key }) => key.sk === 'stations');
  if (!(cluster.isDeployed || mayHaveWaited) || was?.key.sk !== 'host' || is?.key.sk !== 'host') return false;
  const [facts, confirmed] = [was.body as Host, is.body as Host];
  return confirmed.at > facts.at && isSame({ ...facts, at: 0 }, { ...confirmed, at: 0 });
}

/**
 * Whether the journal has another row without any event, or another end for that: whoever reads it reads the client
 * systems that it names once more, and finds nothing new.
 */
function isNamedAgain(before: string | undefined, after: string): boolean {
  const { key, body } = JSON.parse(after) as Row;
  if (!key.pk.startsWith('journal#')) return false;
  return key.sk === 'end' || (before === undefined && (body as JournalRow).events.length === 0);
}

/**
 * An event that comes again is sent to whoever asks for it by then, also if nobody had asked before: what the rule of
 * the bus hands on is left out.
 */
async function again({ cluster }: World, now: () => number): Promise<void> {
  const feed = cluster.store.rows.feed.filter(({ row }) => now() - row.at < keptMs);
  // An environment may still die of what befell it before the world healed.
  const run = async (name: string, work: Parameters<Cluster['run']>[1]): Promise<void> => {
    try {
      await cluster.run(name, work);
    } catch (error) {
      if (!(error instanceof Died || error instanceof Away)) throw error;
      await run(name, work);
    }
  };
  for (const [name, wired] of Object.entries(wiring.functions)) {
    if (!wired.queue || wired.queue === 'sweeps') continue;
    const taken = cluster
      .queueOf(wired.queue as QueueName)
      .done.filter((message) => now() - message.sentAt < keptMs && !(wired.queue === 'webhooks' && cameByBus(message)));
    for (let at = 0; at < taken.length; at += batch) {
      const messages = taken.slice(at, at + batch).map(({ visibleAt: _at, cursed: _cursed, ...message }) => ({ ...message, receives: 1 }));
      await run(name, async (fn, shell) => (fn.on === 'queue' ? fn.handle(messages, shell) : []));
    }
  }
  for (const [name, wired] of Object.entries(wiring.functions)) {
    if (!wired.feed) continue;
    for (let at = 0; at < feed.length; at += batch)
      await run(name, async (fn, shell) => (fn.on === 'feed' ? fn.handle(feed.slice(at, at + batch).map(copyStored), shell) : undefined));
  }
}

/** Whether a rule of the bus handed a message on, also where it was a dead letter since and has been given back. */
const cameByBus = ({ via, letter }: Message): boolean => (letter?.via ?? via) === 'bus';

const textOf = ({ cluster }: World): Map<string, string> =>
  new Map([...cluster.store.rows.rows].map(([name, row]): [string, string] => [name, JSON.stringify(row, bytesAsText)]));

const bytesAsText = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
