import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contract } from '../../../lib/contract.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { folderAt } from '../../../lib/machine/folder.ts';
import { offeredMax } from '../../../lib/uyuni/node-routes.ts';
import { offerSystems } from '../../../programs/agent/adoption/adopter.ts';
import { saltSystems } from '../../../programs/agent/adoption/salt-systems.ts';
import { AdoptionWanted } from '../../../programs/agent/adoption/wanted.ts';
import { costOf, type Meter, prices } from '../../../programs/cli/cost/prices.ts';
import { aNodeUp } from '../../support/actors.ts';
import { aHost, eventually } from '../../support/host.ts';
import { minionPemOf } from '../../support/minion-keys.ts';
import { apiAt } from '../../support/operator.ts';
import type { Figure } from '../report/figure.ts';
import { program } from '../report/program.ts';
import { together } from '../usage.ts';
import { aCountedNode, aCountedSite } from './counted-site.ts';

/** As many systems as a Uyuni server has comfortably, and as many as are counted. */
const [systems, counted] = [15_000, 4 * offeredMax];
const name = (n: number): string => `web${String(n).padStart(5, '0')}.acme.test`;

/** A Salt master's folder with so many accepted keys. */
function aMaster(count: number): string {
  const root = mkdtempSync(join(tmpdir(), 'muster-adoption-'));
  const folder = join(root, 'etc/salt/pki/master/minions');
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < count; n++) writeFileSync(join(folder, name(n)), minionPemOf(name(n)));
  return root;
}

const after = (ms: number, then: () => void) => {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
};
const now = (): EpochMs => Date.now() as EpochMs;

/** How long an embedded host and the agent of the node, on the same processors, take for all systems, in s. */
async function secondsFor(root: string): Promise<number> {
  const host = await aHost({ sweepPeriodMs: 5_000 });
  const home = mkdtempSync(join(tmpdir(), 'muster-agent-'));
  const operator = apiAt(host.url);
  const node = await aNodeUp(host.url, 'node1.acme.test');
  const params = { id: node.id };
  await eventually('the node is up', async () => {
    await node.sendHeartbeat();
    const shown = await operator(contract.getNode, { params });
    return shown.ok && shown.body.status === 'up';
  });
  const ordered = await operator(contract.adoptSystems, { params, body: {} });
  if (!ordered.ok) throw new Error(ordered.problem.detail);
  const wanted = new AdoptionWanted(folderAt(home));
  wanted.desired(ordered.body.order);
  const began = performance.now();
  const beating = setInterval(() => void node.sendHeartbeat(), 2_000);
  const offering = offerSystems(
    { wanted, systems: saltSystems(root, now), world: { after }, offered: () => undefined, say: () => undefined },
    { api: node.api, member: () => ({ node: node.id, incarnation: node.incarnation, generation: 1 }) },
  );
  await eventually('all are adopted', async () => wanted.order() === undefined, 600_000);
  const seconds = (performance.now() - began) / 1_000;
  offering.stop();
  clearInterval(beating);
  const done = await operator(contract.adoption, { params });
  await host.stop();
  rmSync(home, { recursive: true });
  if (!done.ok || done.body.adopted !== systems) throw new Error('not all were adopted: there is nothing to measure');
  return seconds;
}

/** What the adoption of all systems costs on AWS: counted for some, with the events that it publishes. */
async function usdFor(root: string): Promise<{ readonly usd: number; readonly writes: number }> {
  const site = aCountedSite();
  const node = await aCountedNode(site, 'node1.acme.test');
  const answer = await site.call('POST', `/api/v1/nodes/${node.id}/adoption`, { body: {} });
  const { order } = JSON.parse(answer.body!) as { order: string };
  const offered = saltSystems(root, now);
  const ids = (await offered.ids()).slice(0, counted);
  await site.publish();
  const used = await site.used(async () => {
    for (let at = 0; at < ids.length; at += offeredMax) {
      const body = { incarnation: 1, order, total: systems, systems: await offered.systems(ids.slice(at, at + offeredMax)) };
      await site.call('POST', `/nodes/${node.id}/adoption`, { body, by: node.keys });
    }
    await site.publish();
  });
  const { writes, reads, runs, published } = together(Object.values(used));
  const all = systems / counted;
  const meters: readonly (readonly [Meter, number])[] = [
    ['write-units', writes * all],
    ['read-units', reads * all],
    ['lambda-requests', runs * all],
    ['events', published * all],
    ['api-requests', systems / offeredMax],
  ];
  const usd = meters.reduce((sum, [meter, quantity]) => sum + costOf(prices['us-east-1'][meter], quantity, false), 0);
  return { usd, writes: writes / counted };
}

await program(async (): Promise<Figure[]> => {
  const root = aMaster(systems);
  const seconds = await secondsFor(root);
  const { usd, writes } = await usdFor(root);
  rmSync(root, { recursive: true });
  const what = `adoption: a server with ${systems.toLocaleString('en-US')} systems`;
  return [
    {
      what: `${what}, on an embedded host`,
      measured: seconds,
      unit: 's',
      target: { atMost: 300 },
      note: `${(systems / seconds).toFixed(0)} systems a second`,
    },
    { what: `${what}, on AWS`, measured: usd, unit: 'USD', target: { atMost: 0.1 }, note: `${writes.toFixed(1)} write units a system` },
  ];
});
