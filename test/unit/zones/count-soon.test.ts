import { describe, expect, it } from 'vitest';
import { hourMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { type Deployment, deploymentRef } from '../../../lib/deployment/deployment.ts';
import { rememberDeployment } from '../../../lib/deployment/reads.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { countSoon } from '../../../lib/zones/changes/count-soon.ts';
import { type Counts, defaultZone } from '../../../lib/zones/zone.ts';
import { aShell } from '../../../tools/support/a-shell.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

const countEveryMs = 10 * secondMs;
const countsRef = { noun: 'counts', id: defaultZone };
const admittedIn = (zones: number): Deployment['admitted'] => Object.fromEntries(Array.from({ length: zones }, (_, n) => [`zone-${n}`, 0]));
const wakeAtOf = async ({ table }: Pick<Shell, 'table'>) => (await table.read(keyOf(countsRef)))?.wakeAt;

/** The zone was counted just now, and rests for an hour. */
const rest = (shell: Shell) =>
  apply<Counts, { type: 'tick'; id: string }>(shell, countsRef, { type: 'tick', id: 'rest' }, (counts, _tick, now) => ({
    does: 'write',
    next: counts ?? { at: now, perSlot: new Uint8Array(2_048) },
    events: [],
    because: 'a test',
    wakeAt: plusMs(now, hourMs),
  }));

describe('a zone at rest', () => {
  it('is counted soon once somebody is told a place in it, by one write in the time of a count', async () => {
    const shell = aShell({ countEveryMs });
    await rest(shell);
    rememberDeployment(shell, { admitted: admittedIn(400) } as Deployment);

    await countSoon(shell, defaultZone);
    const { rev, wakeAt } = (await shell.table.read(keyOf(countsRef)))!;
    await countSoon(shell, defaultZone);

    expect(wakeAt).toBe(plusMs(shell.now(), countEveryMs));
    expect((await shell.table.read(keyOf(countsRef)))!.rev).toBe(rev);
  });

  it('is left alone where zones are few and none rests', async () => {
    const shell = aShell({ countEveryMs });
    await rest(shell);
    rememberDeployment(shell, { admitted: admittedIn(200) } as Deployment);
    const before = await wakeAtOf(shell);

    await countSoon(shell, defaultZone);

    expect(await wakeAtOf(shell)).toBe(before);
  });

  it('has all of its client systems counted soon after they were told where they belong', async () => {
    const world = await stepped({ countEveryMs, zoneMaxAgeMs: 0 });
    await new Agent(world, 'node1.acme.org').start();
    const shell = world.environment('sweep');
    await rest(shell);
    await apply<Deployment, { id: string }>(shell, deploymentRef, { id: 'many' }, (known) => ({
      does: 'write',
      next: { ...known, admitted: { ...admittedIn(400), ...known?.admitted } },
      events: [],
      because: 'a test',
    }));

    // The first is named a place by an environment that learns thereby how many zones there are.
    for (const fqdn of ['web1.acme.org', 'web2.acme.org']) await new Daemon(world, fqdn).onboarded();
    await world.step(2 * countEveryMs);

    const { body } = await world.call('GET', '/api/v1/zones/default');
    expect(body).toMatchObject({ systemsAbout: 2 });
  });
});
