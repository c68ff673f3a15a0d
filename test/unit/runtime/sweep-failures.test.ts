import { beforeEach, describe, expect, it } from 'vitest';
import { sweep } from '../../../lib/assembly/sweep.ts';
import { Later } from '../../../lib/core/errors.ts';
import { secondMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { Reading } from '../../../lib/runtime/apply-plan.ts';
import { readSnapshot } from '../../../lib/zones/tick/read-snapshot.ts';
import type { MapPage, ZoneHead } from '../../../lib/zones/zone.ts';
import { aShell, committing, type TestShell } from '../../../tools/support/a-shell.ts';
import { aDeployment, aStepNode, type StepAgent } from '../../support/deployment.ts';

let shell: TestShell;
let nodes: StepAgent[];
beforeEach(async () => {
  shell = aShell({ beatMinMs: 1_000, sweepPeriodMs: 5_000 });
  const deployment = aDeployment(shell);
  nodes = [];
  for (const n of [1, 2]) nodes.push(await aStepNode(deployment, `node${n}.acme.org`));
  // Both leases have run out, and the zone's brakes hold whoever is suspect; the sweep was there all the time.
  for (let seconds = 0; seconds < 10; seconds += 5) {
    await deployment.deliver();
    if (seconds > 0) await deployment.sweep();
    shell.step(5 * secondMs);
  }
});
const statusOf = ({ id }: StepAgent) => (shell.table.rows.get(nameOf(keyOf({ noun: 'node', id })))!.body as { status: string }).status;

describe('a zone that another plan changes while it is read', () => {
  it('is read again: nothing is made of a head and of a map that is newer', async () => {
    const [head, map] = [
      { noun: 'zone', id: 'default' },
      { noun: 'map', id: 'default/0' },
    ].map((ref) => shell.table.rows.get(nameOf(keyOf(ref)))!);
    const { mapVersion, ...rest } = head!.body as ZoneHead;
    expect((map!.body as MapPage).version).toBe(mapVersion);
    const before = { ...head!, body: { ...rest, mapVersion: mapVersion - 1 } };
    const reading = new Reading(shell);
    reading.remember(before);

    await expect(readSnapshot(shell, reading, 'default', [], [])).rejects.toThrow('changed while it was read');
    expect((await readSnapshot(shell, new Reading(shell), 'default', [], []))?.zone.head.mapVersion).toBe(mapVersion);
  });
});

describe('a row that fails', () => {
  it('stops time for no other row, and its failure is thrown in the end', async () => {
    const key = keyOf({ noun: 'node', id: nodes[1]!.id });
    const failure = new Later('service.busy', 'commit: throttled');
    const stormy = committing(shell, async (commit, changes) => {
      if (changes.length === 1 && 'put' in changes[0]! && changes[0].put.key.pk === key.pk) throw failure;
      await commit(changes);
    });

    await expect(sweep(stormy)).rejects.toBe(failure);
    expect(nodes.map(statusOf)).toEqual(['suspect', 'up']);

    shell.step(5 * secondMs);
    await sweep(shell);
    expect(nodes.map(statusOf)).toEqual(['suspect', 'suspect']);
  });
});
