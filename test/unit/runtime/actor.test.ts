import { describe, expect, it } from 'vitest';
import { type Decision, nothing, write } from '../../../lib/core/decision.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { type Actor, nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aRow, noon } from '../../../tools/support/a-row.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

const ref = { noun: 'node', id: 'n1' };
const anna: Actor = { who: 'admin:anna', key: 'k1', source: '192.0.2.7', request: 'call-1' };
const rowIn = (shell: ReturnType<typeof aShell>): Row => shell.table.rows.get(nameOf(keyOf(ref)))!;
type State = { zone: string; weight: number; labels: Record<string, string> };
const becomes = (next: State) => (): Decision<State> => write<State, never>(next, 'a test says so');
const first: State = { zone: 'default', weight: 1, labels: { a: '1', b: '2' } };
const input = (id: string) => ({ id });

describe('a row that is written while a verified call is answered', () => {
  it('says whom the change is put down to, and goes on the feed without having an event', async () => {
    const shell = aShell();
    await apply(withActor(shell), ref, input('call-1'), becomes(first));
    expect(rowIn(shell).actor).toEqual(anna);
    expect(rowIn(shell)).not.toHaveProperty('changed');
    expect(shell.table.feed.map(({ row }) => row.actor)).toEqual([anna]);
  });

  it('says which fields of its body changed, whatever the order in which a table hands out their names', async () => {
    const shell = aShell();
    await apply(shell, ref, input('1'), becomes(first));
    await apply(withActor(shell), ref, input('2'), becomes({ labels: { b: '2', a: '1' }, weight: 2, zone: 'default' }));
    expect(rowIn(shell).changed).toEqual(['weight']);
  });

  it('says so in a plan as well', async () => {
    const shell = aShell();
    await applyPlan(withActor(shell), input('1'), async () => ({
      changes: [{ ref, readRev: 0, decision: write<State, never>(first, 'planned') }],
      because: ['planned'],
    }));
    expect(rowIn(shell)).toMatchObject({ actor: anna, because: 'planned' });
  });
});

describe('a row that we write again ourselves', () => {
  it('is nobody else’s doing any more', async () => {
    const shell = aShell();
    await apply(withActor(shell), ref, input('1'), becomes(first));
    await apply(shell, ref, input('2'), becomes({ ...first, weight: 2 }));
    expect(rowIn(shell)).not.toHaveProperty('actor');
    expect(rowIn(shell)).not.toHaveProperty('changed');
    expect(shell.table.feed).toHaveLength(1);
  });

  it('is neither when only its alarm moves', () => {
    const row: Row = { ...aRow({}), rev: 3, actor: anna, changed: ['weight'], wakeAt: noon };
    const rearmed = contentOf(ref, row, nothing('no', plusMs(noon as EpochMs, 1)), { by: 'tick', at: noon, exact: true });
    expect(rearmed).toBeDefined();
    expect(rearmed).not.toHaveProperty('actor');
    expect(rearmed).not.toHaveProperty('changed');
  });
});

describe('what a machine changes by a signed call', () => {
  it.each(['node:n1', 'client:6b86b273'])('is put down to %s, and is not handed to the audit', async (who) => {
    const shell = aShell();
    await apply({ ...shell, actor: { ...anna, who } }, ref, input('1'), becomes(first));
    expect(rowIn(shell).actor?.who).toBe(who);
    expect(shell.table.feed).toEqual([]);
  });
});

const withActor = (shell: Shell): Shell => ({ ...shell, actor: anna });
