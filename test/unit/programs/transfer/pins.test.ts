import { afterAll, expect, test } from 'vitest';
import { ownedRevisions, ownedSystems } from '../../../../lib/clients/systems/reads.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import { openStorage } from '../../../../lib/ports/storage/storage.ts';
import { wholeFile } from '../../../../lib/ports/storage/whole-file.ts';
import type { Shell } from '../../../../lib/runtime/shell.ts';
import { zoneOf } from '../../../../lib/zones/reads/zones.ts';
import { defaultZone } from '../../../../lib/zones/zone.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { wholeMemory } from '../../../support/whole-memory.ts';
import { aFolder, exported, imported } from './a-transfer.ts';

const folder = aFolder();
afterAll(() => folder.remove());

/**
 * Three nodes, of which the first is down, with client systems pinned to each, hard and softly, one of them with
 * metadata.
 */
async function aWorld(): Promise<World> {
  const world = await stepped({ zoneMaxAgeMs: 0 });
  const nodes = [1, 2, 3].map((n) => new Agent(world, `node${n}.acme.org`));
  for (const node of nodes) await node.start();
  const systems = Array.from({ length: 12 }, (_, n) => new Daemon(world, `web${n}.acme.org`));
  for (const system of systems) await system.onboarded();
  for (const [n, { fp }] of systems.slice(0, 9).entries())
    await world.call('POST', '/api/v1/systems/pin', { systems: [fp], node: nodes[n % 3]!.fqdn, soft: n % 2 === 1 });
  await world.call('PUT', `/api/v1/systems/${systems[0]!.fp}/metadata/notes`, { document: { rack: 7 } });
  nodes[0]!.fallSilent();
  await world.step(2 * minuteMs);
  return world;
}

/** The pins of its zone, and whom each node has, with their metadata revisions. */
async function pinnedIn(shell: Shell) {
  const zone = (await zoneOf(shell, defaultZone))!;
  const nodes = zone.members.map(async (_, index) => ({
    systems: await ownedSystems(shell, zone, index),
    revisions: await ownedRevisions(shell, zone, index),
  }));
  return { pins: zone.pins, nodes: await Promise.all(nodes) };
}

test('whoever is pinned is so in the deployment that imports, on the lists of the same nodes, with the same numbers', async () => {
  const world = await aWorld();
  const before = await pinnedIn({ ...aShell({ zoneMaxAgeMs: 0 }), table: world.table });
  expect([...before.pins.values()].map(({ hard, soft, awayAt }) => [hard + soft, awayAt !== undefined])).toEqual([
    [3, true],
    [3, false],
    [3, false],
  ]);
  expect(before.nodes.flatMap(({ revisions }) => [...revisions.values()]).filter((revision) => revision > 0)).toEqual([1]);
  const [file, home] = [folder.newFile(), folder.newFile('muster.db')];
  await exported(wholeMemory([...world.table.rows.values()]), file);
  const target = wholeFile(home);
  await imported(file, target, { sameEpoch: false });
  target.close();

  const storage = openStorage({ file: home, now: world.now, defer: (run) => void setImmediate(run) });
  expect(await pinnedIn({ ...aShell({ zoneMaxAgeMs: 0 }), table: storage.table })).toEqual(before);
  storage.close();
});
