import { minuteMs } from '../../../lib/core/time.ts';
import type { Content } from '../../../lib/uyuni/content/content.ts';
import { type ContentDocument, inNormalForm } from '../../../lib/uyuni/content/document.ts';
import { type Packed, packed, unpacked, unpackedManifest } from '../../../lib/uyuni/content/packed.ts';
import { Agent } from '../../support/players.ts';
import { stepped, type World } from '../../support/stepped.ts';
import type { Figure } from '../report/figure.ts';
import { program } from '../report/program.ts';
import { median, spread } from '../rounds.ts';

const servers = 100;
const entries = 50_000;
const rounds = 3;
const kib = 1024;

const seconds = (ms: number): number => ms / 1000;

/** Documents of the size of a channel. */
const aChannel = (n: number, summary = `Packages of ${n}`): ContentDocument =>
  inNormalForm({
    ...{
      name: `Channel ${n}`,
      summary,
      description: '',
      arch: 'channel-x86_64',
      checksum: 'sha256',
      parent: n < 50 ? null : `channel-${n % 50}`,
    },
    gpg: { url: 'https://mirror.acme.test/key', id: '1A2B3C4D', fingerprint: '', check: true },
    maintainer: { name: 'Acme', email: 'linux@acme.test', phone: '' },
    repositories: [`repository-${n}`],
  });

const channels = (count: number, changed?: number): Content =>
  new Map([
    ['channel', new Map(Array.from({ length: count }, (_, n) => [`channel-${n}`, aChannel(n, n === changed ? 'another' : undefined)]))],
  ]);

const bytesOf = ({ blobs }: Packed): number => [...blobs.values()].reduce((sum, { length }) => sum + length, 0);

/** Packs and unpacks a large server's content; what a change of one document adds, in KiB, and what all of it is. */
async function packing(): Promise<{
  readonly tookS: number;
  readonly unpackedS: number;
  readonly wholeKib: number;
  readonly changeKib: number;
}> {
  const startedAt = performance.now();
  const whole = packed(channels(entries));
  const tookS = seconds(performance.now() - startedAt);
  const change = packed(channels(entries, 31_337), whole.manifest);
  const openedAt = performance.now();
  const readBlob = async (name: string): Promise<Uint8Array> => {
    const bytes = whole.blobs.get(name);
    if (!bytes) throw new Error(`there is no blob ${name}`);
    return bytes;
  };
  await unpacked(await unpackedManifest(whole.names, readBlob), readBlob);
  return { tookS, unpackedS: seconds(performance.now() - openedAt), wholeKib: bytesOf(whole) / kib, changeKib: bytesOf(change) / kib };
}

/** Uyuni servers that are up, in a world of their own. */
async function aFleet(): Promise<{ readonly world: World; readonly agents: readonly Agent[] }> {
  const world = await stepped({ beatMinMs: 300_000, sweepPeriodMs: 2_000 });
  await world.step(minuteMs);
  const agents = Array.from({ length: servers }, (_, n) => new Agent(world, `uyuni${n + 1}.acme.org`));
  for (const agent of agents) await agent.join({ kind: 'uyuni' });
  for (let again = 0; again < 3; again++) {
    for (const agent of agents) await agent.up();
    await world.step(2_000);
  }
  for (const agent of agents) await agent.say('node.ready');
  await world.step(2_000);
  for (const agent of agents) await agent.beat();
  await world.step(2_000);
  return { world, agents };
}

/** A revision goes from one server to all others; gives the rows that were written for each, and the waves. */
async function spreading(): Promise<{ readonly writes: number; readonly waves: number; readonly ofZone: number }> {
  const { world, agents } = await aFleet();
  const [first, ...others] = agents;
  if (!first) throw new Error('a fleet has servers');
  type Order = { readonly order: string; readonly done?: object };
  const orderOf = async (agent: Agent) => {
    const { content, export: reading } = (await agent.call('GET', `/nodes/${agent.id}/desired`)).body as {
      content?: Order;
      export?: Order;
    };
    return reading ?? content;
  };
  const reports = (agent: Agent, order: string, outcome: object) =>
    agent.call('POST', `/nodes/${agent.id}/content`, { incarnation: agent.incarnation, order, outcome });
  const { manifest, names, blobs } = packed(channels(500));
  await world.call('POST', '/api/v1/zones/default/content/apply', { from: first.fqdn, because: 'a channel' });
  await world.step(4_000);
  const before = writtenIn(world);
  const told = await orderOf(first);
  if (!told) throw new Error('its agent has no order');
  for (const [name, bytes] of blobs)
    await first.call('PUT', `/nodes/${first.id}/content/blobs/${name}`, { bytes: Buffer.from(bytes).toString('base64') });
  await reports(first, told.order, { is: 'exported', root: manifest.root, entries: manifest.entries, manifest: names });
  const counts = { made: 0, changed: 1, removed: 0, alike: 499, extra: 0 };
  let [done, waves] = [0, 0];
  for (let look = 0; look < 60 && done < others.length; look++) {
    await world.step(10_000);
    let answered = 0;
    for (const agent of others) {
      const order = await orderOf(agent);
      if (!order || order.done) continue;
      await reports(agent, order.order, { is: 'applied', root: manifest.root, counts });
      answered++;
    }
    done += answered;
    if (answered > 0) waves++;
  }
  if (done < others.length) throw new Error(`${done} of ${others.length} servers have the revision`);
  await world.step(10_000);
  const after = writtenIn(world);
  return { writes: (after.desired - before.desired) / others.length, waves, ofZone: after.zone - before.zone };
}

/** How often the rows of what agents should do, and of the content of the zone, were written. */
function writtenIn(world: World): { readonly desired: number; readonly zone: number } {
  let [desired, zone] = [0, 0];
  for (const { key, rev } of world.table.rows.values()) {
    if (key.sk === 'desired') desired += rev;
    if (key.sk === 'content') zone += rev;
  }
  return { desired, zone };
}

async function measure(): Promise<Figure[]> {
  const all: Awaited<ReturnType<typeof packing>>[] = [];
  for (let n = 0; n < rounds; n++) all.push(await packing());
  const { writes, waves, ofZone } = await spreading();
  const [first] = all;
  const took = all.map(({ tookS }) => tookS);
  return [
    {
      what: `writes for each of ${servers} servers that get a revision`,
      measured: writes,
      unit: '',
      target: { atMost: 1 },
      note: `its order, and its answer; ${waves} waves, ${ofZone} writes of the zone`,
    },
    {
      what: `packing ${entries.toLocaleString('en-US')} documents`,
      measured: median(took),
      unit: 's',
      note: spread(took, (one) => `${one.toFixed(2)} s`),
    },
    { what: 'unpacking them', measured: median(all.map(({ unpackedS }) => unpackedS)), unit: 's' },
    { what: 'all of them, stored', measured: first?.wholeKib ?? 0, unit: 'KiB' },
    { what: 'what a change of one adds', measured: first?.changeKib ?? 0, unit: 'KiB' },
  ];
}

await program(measure);
