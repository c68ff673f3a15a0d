import { Buffer } from 'node:buffer';
import { secondMs } from '../../../lib/core/time.ts';
import { keyPairOf } from '../../support/signing.ts';
import { bootOf } from '../sites/counted-site.ts';
import { nodeIdAt } from '../zone.ts';
import { nodeKeyAt } from './seed.ts';
import { type ScaleSite, type ScaleUnits, signedCall } from './site.ts';

/** The actions of nodes among all the others: one sends heartbeats and is lost, one drains, one joins. */
export async function nodesPlayed(site: ScaleSite): Promise<void> {
  await rhythm(site);
  await joins(site);
  await drains(site);
  await lost(site);
}

async function rhythm(site: ScaleSite): Promise<void> {
  const { play, settle, sendHeartbeat, sweep } = site;
  const [id, asNode] = [nodeIdAt(0), signedCall(site, nodeKeyAt(0))];
  await play('heartbeat', () => sendHeartbeat(0));
  await play('sweep, nothing due', sweep);
  await play('desired state', () => asNode('GET', `/nodes/${id}/desired`));
  const list = await play('list of its client systems, new', () => asNode('GET', `/nodes/${id}/systems`));
  const { systems } = JSON.parse(list.body!) as { systems: string[] };
  await play('list of its client systems, as before', () => asNode('GET', `/nodes/${id}/systems?since=1`));
  await play('one key asked about', () => asNode('GET', `/nodes/${id}/systems/${systems[0]}`));
  const some = systems.slice(0, 50);
  await play('50 keys asked about', () => asNode('POST', `/nodes/${id}/systems/questions`, { fingerprints: some }));
  const digest = (fill: number) => ({
    digest: { listVersion: 1, bits: Buffer.alloc(Math.ceil(systems.length / 8), fill).toString('base64') },
  });
  await sendHeartbeat(0, digest(1));
  await play('heartbeat with a digest', () => sendHeartbeat(0, digest(3)));
  await settle();
}

async function joins(site: ScaleSite): Promise<void> {
  const { play, goOn, call, consume, sweep } = site;
  const fqdn = 'one-more.bench.test';
  const keys = keyPairOf(fqdn);
  const body = { publicKey: keys.publicKey, fqdn, kind: 'salt' };
  const joined = await play('node joins', () => call('POST', '/nodes/join', { body, by: keys }));
  const { node: id } = JSON.parse(joined.body!) as { node: string };
  await play('node boots', () => bootOf(site, { id, keys, fqdn }, 'first'));
  await goOn('node is ready, and takes its share', async () => {
    await consume('reports');
    await sweep();
  });
}

async function drains(site: ScaleSite): Promise<void> {
  const { play, goOn, call, sweep } = site;
  await play('drain ordered', () => call('POST', `/api/v1/nodes/${nodeIdAt(1)}/leave`, { body: { mode: 'drain' } }));
  await goOn('first step of a drain', sweep);
  site.shell.step(30 * secondMs);
  for (const index of site.beating) await site.sendHeartbeat(index);
  await goOn('next step of a drain', sweep);
}

/** From the last heartbeat until the node is down and its slots have moved, beyond the usual work of the sweep. */
async function lost(site: ScaleSite): Promise<void> {
  const { beating, played, unitsOf } = site;
  const aMinute = async (): Promise<ScaleUnits> => {
    let sum: ScaleUnits = { reads: 0, writes: 0 };
    for (let passedMs = 0; passedMs < 60_000; passedMs += 5 * secondMs) {
      site.shell.step(5 * secondMs);
      for (const index of beating) await site.sendHeartbeat(index);
      const { reads, writes } = await unitsOf(site.sweep);
      sum = { reads: sum.reads + reads, writes: sum.writes + writes };
    }
    return sum;
  };
  await aMinute();
  beating.delete(0);
  const loud = await aMinute();
  const answer = await site.call('GET', `/api/v1/nodes/${nodeIdAt(0)}`);
  const { status } = JSON.parse(answer.body!) as { status: string };
  if (status !== 'down') throw new Error(`the node that fell silent is ${status}`);
  played.set('node lost, with a minute of sweeps', loud);
}
