import { expect, it } from 'vitest';
import { sweep } from '../../../lib/assembly/sweep.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { plusMs, secondMs } from '../../../lib/core/time.ts';
import { mendedAtOnce } from '../../../lib/deployment/changes.ts';
import { type Deployment, decideDeployment } from '../../../lib/deployment/deployment.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { asOperator } from '../../../tools/support/operator.ts';

const nameOf = (n: number): ZoneName => ZoneName.parse(`zone-${String(n).padStart(4, '0')}`);
const deploymentRef = { noun: 'deployment', id: 'deployment' };

/**
 * A deployment with so many zones besides the first, in which nothing is due; `noted`: nodes that the deployment has
 * for each of them.
 */
async function zones(count: number, noted = 0): Promise<TestShell> {
  const shell = aShell({ countEveryMs: 1_000 * secondMs });
  const later = plusMs(shell.now(), 1_000_000 * secondMs);
  for (let n = 0; n < count; n++)
    await applyPlan(shell, { id: `zone ${n}` }, async () => {
      const plan = planZone(nameOf(n), n + 2, shell.now());
      // They have been counted just now.
      const changes = plan.changes.map((change) =>
        change.ref.noun === 'counts' ? { ...change, decision: { ...change.decision, wakeAt: later } } : change,
      );
      return { ...plan, changes };
    });
  const admitted = Object.fromEntries(Array.from({ length: count }, (_, n) => [nameOf(n), noted]));
  await apply<Deployment, { id: string }>(shell, deploymentRef, { id: 'noted' }, () => ({
    does: 'write',
    next: { admitted },
    events: [],
    because: 'a test',
  }));
  await sweep(shell);
  return shell;
}

/** Units that some work reads. */
async function unitsOf({ table }: TestShell, work: () => Promise<unknown>): Promise<number> {
  const before = table.meter.readUnits;
  await work();
  return table.meter.readUnits - before;
}

it('a sweep in which nothing is due reads as much in a deployment of 2,000 zones as in one of 100, but for the list of their nodes', async () => {
  const units: Record<number, number> = {};
  for (const count of [1, 100, 2_000]) {
    const shell = await zones(count);
    shell.step(60 * secondMs);
    units[count] = await unitsOf(shell, () => sweep(shell));
  }
  // The deployment's own row holds a number a zone: 12 units of 4 KB at 2,000, read once for a sweep and once for the
  // zones.
  expect(units[1]!).toBeLessThan(20);
  expect(units[100]! - units[1]!).toBeLessThanOrEqual(2 * mendedAtOnce + 20);
  expect(units[2_000]! - units[100]!).toBeLessThan(60);
}, 60_000);

it('in a deployment of 600 zones one in which nothing changes is counted a third as often as in one of 200, so that counting them takes no more of the sweep', async () => {
  const waits: Record<number, number> = {};
  for (const count of [1, 199, 599]) {
    const shell = await zones(count);
    shell.step(1_000_000 * secondMs);
    await sweep(shell);
    waits[count] = (await shell.table.read(keyOf({ noun: 'counts', id: nameOf(0) })))!.wakeAt! - shell.now();
  }
  expect(waits).toEqual({ 1: 1_000 * secondMs, 199: 1_000 * secondMs, 599: 3_000 * secondMs });
}, 60_000);

it('a sweep that finds many zones to count does not hold up the next one: they are counted by several', async () => {
  const shell = await zones(30);
  shell.step(1_000_000 * secondMs);
  const { queryIndex } = shell.table;
  // An index query takes 10 ms, and a count asks 64 of them.
  const slow = {
    ...shell,
    table: {
      ...shell.table,
      queryIndex: async (query: Parameters<typeof queryIndex>[0]) => {
        shell.step(10);
        return queryIndex(query);
      },
    },
  };
  const took: number[] = [];
  for (let n = 0; n < 5; n++) {
    const before = shell.now();
    await sweep(slow);
    took.push(shell.now() - before);
    shell.step(5 * secondMs);
  }
  expect(Math.max(...took)).toBeLessThan(5_000 + 700);
  const rows = await Promise.all(Array.from({ length: 30 }, (_, n) => shell.table.read(keyOf({ noun: 'counts', id: nameOf(n) }))));
  expect(rows.filter((row) => row!.wakeAt! <= shell.now())).toEqual([]);
});

it('what no sweep noted is noted within so many sweeps as it takes to look at every zone', async () => {
  const shell = await zones(100, 7);
  for (let n = 0; n < 101 / mendedAtOnce + 1; n++) {
    shell.step(6 * secondMs);
    await sweep(shell);
  }
  const { admitted } = (await shell.table.read(keyOf(deploymentRef)))!.body as Deployment;
  expect(Object.values(admitted).filter((nodes) => nodes !== 0)).toEqual([]);
});

it('a zone that is not there any more is not counted any longer', async () => {
  const shell = await zones(1);
  const command = { type: 'admitted', id: 'late', zone: 'gone', nodes: 3 } as const;
  await apply<Deployment, typeof command>(shell, deploymentRef, command, decideDeployment);
  shell.step(6 * secondMs);
  await sweep(shell);
  expect(((await shell.table.read(keyOf(deploymentRef)))!.body as Deployment).admitted).not.toHaveProperty('gone');
});

it('a page of zones costs what its own zones cost, however many there are', async () => {
  const units: number[] = [];
  for (const count of [100, 2_000]) {
    const shell = await zones(count);
    shell.step(60 * secondMs);
    units.push(
      await unitsOf(shell, async () => {
        const { status, body } = await adminCall(shell, 'zones?limit=50', asOperator);
        expect([status, (body['items'] as unknown as unknown[]).length]).toEqual([200, 50]);
      }),
    );
  }
  const rowOfDeployment = 30;
  expect(units[1]! - units[0]!).toBeLessThanOrEqual(rowOfDeployment);
  expect(units[0]!).toBeLessThan(50 * 10);
}, 60_000);
