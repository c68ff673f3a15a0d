import { describe, expect, it } from 'vitest';
import type { Client } from '../../../lib/clients/client.ts';
import { rowStatus } from '../../../lib/clients/rows/status.ts';
import { write } from '../../../lib/core/decision.ts';
import { secondMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { type Meter, nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import { slotOf } from '../../../lib/zones/map/rows/slots.ts';
import { zoneOf } from '../../../lib/zones/reads/zones.ts';
import type { LoadedZone } from '../../../lib/zones/rows/loaded.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { aClient, fpOf, noon } from '../../../tools/support/builders.ts';
import { aDeployment, aStepNode, type Deployment, type StepAgent } from '../../support/deployment.ts';

type Site = { readonly shell: TestShell; readonly deployment: Deployment; readonly nodes: readonly StepAgent[] };

/**
 * A zone of five nodes and so many client systems, each confirmed where the map has it, all counted; nothing is due but
 * heartbeats.
 */
async function aSite(clients: number): Promise<Site> {
  const shell = aShell({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  const deployment = aDeployment(shell);
  const nodes: StepAgent[] = [];
  for (let n = 1; n <= 5; n++) nodes.push(await aStepNode(deployment, `node${n}.acme.org`));
  const zone = await zoneNow(shell);
  for (let at = 0; at < clients; at += 100)
    await shell.table.commit(
      Array.from({ length: Math.min(100, clients - at) }, (_, n) => ({ put: placed(shell, zone, at + n), readRev: 0 })),
    );
  const site = { shell, deployment, nodes };
  // The count that the first nodes began with is due again after ten minutes; from then on nothing is for another ten.
  for (let seconds = 0; seconds <= 610; seconds += 5) await period(site, nodes);
  await deployment.publish();
  return site;
}

/** An accepted client system's row, told and confirmed on the owner of its slot. */
function placed(shell: TestShell, zone: LoadedZone, n: number) {
  const fp = fpOf(n);
  const index = zone.map.owner[slotOf(fp, zone.head.slots)]!;
  const told = { index, node: zone.members[index]!.node, generation: 1, at: shell.now(), confirmedAt: shell.now() };
  const client = aClient({ fp, told });
  const cause = { by: `put-${n}`, at: shell.now(), exact: true };
  return contentOf({ noun: 'client', id: fp }, undefined, write(client, 'placed'), cause)!;
}

/** Five seconds pass: every second time the nodes beat, and then time is delivered. */
async function period({ shell, deployment }: Site, beating: readonly StepAgent[]): Promise<void> {
  shell.step(5 * secondMs);
  if ((shell.now() / secondMs) % 10 === 0) for (const node of beating) await node.beat();
  await deployment.deliver();
  await deployment.sweep();
}

const zoneNow = async (shell: TestShell): Promise<LoadedZone> => {
  shell.caches.clear();
  return (await zoneOf(shell, defaultZone))!;
};
const clientRows = ({ shell }: Site): Row[] => [...shell.table.rows.values()].filter(({ key }) => key.sk === 'client');
/** What every client system is told now, by fingerprint. */
const statuses = async (site: Site): Promise<ReadonlyMap<string, string>> => {
  const zone = await zoneNow(site.shell);
  return new Map(clientRows(site).map(({ key, body }) => [key.pk, rowStatus(body as Client, zone, { now: noon })]));
};
const spent = (before: Meter, { rowsWritten, writeUnits }: Meter) => ({
  rows: rowsWritten - before.rowsWritten,
  units: writeUnits - before.writeUnits,
});

/**
 * Loses the third of the five nodes; what the sweep that finds it lost has written, and what publishing that costs
 * beside.
 */
async function loseOne(site: Site) {
  const { shell, deployment, nodes } = site;
  const lost = nodes[2]!;
  const left = nodes.filter((node) => node !== lost);
  const before = await zoneNow(shell);
  const index = before.members.findIndex((member) => member?.node === lost.id);
  const status = (): string => (shell.table.rows.get(nameOf(keyOf({ noun: 'node', id: lost.id })))!.body as { status: string }).status;
  let state = { rows: 0, units: 0 };
  while (status() === 'up') {
    shell.step(5 * secondMs);
    if ((shell.now() / secondMs) % 10 === 0) for (const node of left) await node.beat();
    await deployment.deliver();
    const meter = { ...shell.table.meter };
    await deployment.sweep();
    state = spent(meter, shell.table.meter);
  }
  const meter = { ...shell.table.meter };
  await deployment.publish();
  return { index, before, state, history: spent(meter, shell.table.meter), status: status() };
}

describe.each([2_000, 20_000])('a node of five with its share of %i client systems', (clients) => {
  it('is lost for six rows and 24 write units, its clients are orphans and its slots are others', async () => {
    const site = await aSite(clients);
    const rowsBefore = clientRows(site);
    expect(new Set((await statuses(site)).values())).toEqual(new Set(['onboarded']));

    const { index, before, state, history, status } = await loseOne(site);

    expect(status).toBe('down');
    expect(state.rows).toBeLessThanOrEqual(6);
    expect(state.units).toBeLessThanOrEqual(24);
    // Five events at the most: suspected and lost, and what the zone says of it and of having recovered from it. Two
    // rows are of the journal.
    expect(history.rows).toBeLessThanOrEqual(7);
    expect(clientRows(site)).toEqual(rowsBefore);

    const zone = await zoneNow(site.shell);
    const moved = [...zone.map.owner].flatMap((owner, slot) => (owner === before.map.owner[slot] ? [] : [slot]));
    expect(moved).toEqual([...before.map.owner].flatMap((owner, slot) => (owner === index ? [slot] : [])));
    const orphans = new Set([...(await statuses(site))].flatMap(([key, now]) => (now === 'orphan' ? [key] : [])));
    const were = rowsBefore.filter(({ body }) => (body as { told: { index: number } }).told.index === index).map(({ key }) => key.pk);
    expect(orphans).toEqual(new Set(were));
    expect(orphans.size).toBeGreaterThan(clients / 10);
  });

  it('reboots inside its lease without a client or a slot noticing', async () => {
    const site = await aSite(clients);
    const [before, rowsBefore, zoneBefore] = [await statuses(site), clientRows(site), await zoneNow(site.shell)];

    site.shell.step(20 * secondMs);
    await site.nodes[2]!.up('after-the-reboot');
    for (let seconds = 0; seconds < 60; seconds += 5) await period(site, site.nodes);

    expect(await statuses(site)).toEqual(before);
    expect(clientRows(site)).toEqual(rowsBefore);
    const zone = await zoneNow(site.shell);
    expect([zone.map, zone.head.mapVersion, zone.head.roster]).toEqual([
      zoneBefore.map,
      zoneBefore.head.mapVersion,
      zoneBefore.head.roster,
    ]);
    const node = site.shell.table.rows.get(nameOf(keyOf({ noun: 'node', id: site.nodes[2]!.id })))!;
    expect(node.body).toMatchObject({ status: 'up', incarnation: 2, generation: 1 });
  });
});

describe('the cost of a lost node', () => {
  it('is the same however many client systems it had', async () => {
    const [few, many] = [await loseOne(await aSite(2_000)), await loseOne(await aSite(20_000))];
    expect([many.state, many.history]).toEqual([few.state, few.history]);
  });
});
