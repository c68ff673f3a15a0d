import { beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../../lib/ports/table/table.ts';
import { freshZone, zoneOf } from '../../../lib/zones/reads/zones.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { aDeployment, aStepNode, type Deployment } from '../../support/deployment.ts';

let shell: TestShell;
let deployment: Deployment;
beforeEach(async () => {
  shell = aShell();
  deployment = aDeployment(shell);
  await aStepNode(deployment, 'node1.acme.org');
});
/** Another environment of the deployment: the same table, nothing remembered. */
const another = (): TestShell => ({ ...shell, caches: new Map() });

describe("an environment's copy of a zone", () => {
  it('answers without a read while it is fresh, and is read again when it is old', async () => {
    const reader = another();
    const zone = await zoneOf(reader, defaultZone);
    const { readUnits } = shell.table.meter;
    expect(await zoneOf(reader, defaultZone)).toBe(zone);
    expect(shell.table.meter.readUnits).toBe(readUnits);

    shell.step(shell.settings.zoneMaxAgeMs + 1);
    expect(freshZone(reader, defaultZone)).toBeUndefined();
    expect((await zoneOf(reader, defaultZone))?.map).toBe(zone?.map);
    expect(shell.table.meter.readUnits).toBeGreaterThan(readUnits);
  });

  it('is read once for all who wait for it', async () => {
    const reader = another();
    const before = shell.table.meter.readUnits;
    await zoneOf(reader, defaultZone);
    const once = shell.table.meter.readUnits - before;
    const crowd = another();
    await Promise.all(Array.from({ length: 10 }, () => zoneOf(crowd, defaultZone)));
    expect(shell.table.meter.readUnits - before).toBe(2 * once);
  });

  it('is read again for a caller that was answered by a newer version, also while an older one is being read', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const readMany: Table['readMany'] = async (keys) => {
      reads += 1;
      const rows = await shell.table.readMany(keys);
      if (reads === 1) await held;
      return rows;
    };
    const reader: TestShell = { ...another(), table: { ...shell.table, readMany } };
    const older = zoneOf(reader, defaultZone);
    // A change of standing alone: the map that the older read finds is the newest.
    await deployment.call('POST', '/api/v1/nodes/node1.acme.org/leave', { mode: 'hold' });
    await deployment.sweep();
    const { version } = (await zoneOf(another(), defaultZone))!.head;

    const newer = zoneOf(reader, defaultZone, version);
    release();

    expect((await older)!.head.version).toBeLessThan(version);
    expect((await newer)!.head.version).toBe(version);
    expect(freshZone(reader, defaultZone)?.head.version).toBe(version);
  });
});
