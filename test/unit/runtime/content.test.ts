import { describe, expect, it } from 'vitest';
import { type Decision, nothing, write } from '../../../lib/core/decision.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { contentOf, goneForMs, stateOf } from '../../../lib/runtime/content.ts';
import { anEvent, aRow, noon } from '../../../tools/support/a-row.ts';

const ref = { noun: 'node', id: 'n1' };
const later = plusMs(noon, 60_000);
const cause = { by: 'input-2', at: later, exact: false };
const joined = { type: 'node.joined', version: 1, data: {} };
const stored = (more: Partial<Row> = {}): Row => ({ ...aRow({ list: { pk: 'nodes#default', sk: 'n1' } }), rev: 7, ...more });

describe('what a decision stores', () => {
  it('is the next state in the list that it belongs to', () => {
    expect(contentOf(ref, undefined, write({ zone: 'default' }, 'because'), cause)).toEqual({
      key: { pk: 'node#n1', sk: 'node' },
      body: { zone: 'default' },
      at: later,
      by: 'input-2',
      because: 'because',
      events: [],
      eventSeq: 0,
      list: { pk: 'nodes#default', sk: 'n1' },
    });
  });

  it('keeps why a thing stands as it does through commits of what is beside it, and no longer', () => {
    const row = stored({ because: 'its disk is full', actor: { who: 'admin:jo', source: '::1', request: 'r1' } });
    const stands = { because: 'its disk is full', at: row.at, by: row.by, who: 'admin:jo' };
    const aside = write({ zone: 'default' }, 'edited', { aside: true });
    const edited = contentOf(ref, row, aside, cause);
    expect(edited).toMatchObject({ because: 'edited', at: later, by: 'input-2', stands });
    expect(contentOf(ref, { ...edited!, rev: 8 }, aside, cause)).toMatchObject({ stands });
    expect(contentOf(ref, { ...edited!, rev: 8 }, write({ zone: 'default' }, 'mended'), cause)).not.toHaveProperty('stands');
    expect(contentOf(ref, undefined, aside, cause)).not.toHaveProperty('stands');
  });

  it('numbers its events after the last one the row ever had, and keeps none of the earlier ones', () => {
    const row = stored({ events: [anEvent(4), anEvent(5)], eventSeq: 5 });
    const content = contentOf(ref, row, write({ zone: 'default' }, 'because', { events: [joined, joined] }), cause);
    expect(content).toMatchObject({
      events: [
        { ...joined, seq: 6 },
        { ...joined, seq: 7 },
      ],
      eventSeq: 7,
    });
    expect(contentOf(ref, row, write({ zone: 'default' }, 'because'), cause)).toMatchObject({ events: [], eventSeq: 5 });
  });

  it('is, when the row ends, its last state as gone for 30 days, in no list and not due', () => {
    const ended: Decision<object> = { does: 'remove', last: { zone: 'default' }, events: [joined], because: 'removed' };
    expect(contentOf(ref, stored({ eventSeq: 5, wakeAt: noon }), ended, cause)).toEqual({
      key: { pk: 'node#n1', sk: 'node' },
      body: { zone: 'default' },
      at: later,
      by: 'input-2',
      because: 'removed',
      events: [{ ...joined, seq: 6 }],
      eventSeq: 6,
      expiresAt: plusMs(later, goneForMs),
      gone: true,
    });
  });

  it('goes on counting when a row that was gone comes back, without its old end and its old alarm', () => {
    const gone = stored({ gone: true, eventSeq: 6, wakeAt: noon, expiresAt: plusMs(noon, goneForMs) });
    const content = contentOf(ref, gone, write({ zone: 'default' }, 'back', { events: [joined], wakeAt: later }), cause);
    expect(content).toMatchObject({ events: [{ ...joined, seq: 7 }], eventSeq: 7, wakeAt: later });
    expect(content).not.toHaveProperty('gone');
    expect(content).not.toHaveProperty('expiresAt');
  });

  it('is nothing when nothing changes, unless a tick moves the alarm', () => {
    expect(contentOf(ref, stored({ wakeAt: noon }), nothing('no', later), cause)).toBeUndefined();
    expect(contentOf(ref, undefined, nothing('no', later), { ...cause, exact: true })).toBeUndefined();
    const rearmed = contentOf(ref, stored({ wakeAt: noon, events: [anEvent(5)], eventSeq: 5 }), nothing('no', plusMs(later, 1)), {
      ...cause,
      exact: true,
    });
    // Its events went out with the commit that concluded them.
    expect(rearmed).toMatchObject({ wakeAt: plusMs(later, 1), by: 'input-1', at: noon, events: [], eventSeq: 5 });
    expect(rearmed).not.toHaveProperty('rev');
  });

  it('is nothing after a tick that would only make a row soon due again, where such a row stays due', () => {
    const ticked = (row: Row, wakeAt: EpochMs | undefined) =>
      contentOf(ref, row, nothing('its lease holds', wakeAt), { ...cause, exact: true, staysDueMs: 45_000 });
    const due = stored({ wakeAt: noon });
    expect(ticked(due, plusMs(later, 45_000))).toBeUndefined();
    expect(ticked(due, plusMs(later, 45_001))).toMatchObject({ wakeAt: plusMs(later, 45_001) });
    // What waits for nothing is not due any more, and what is not due yet is moved as it was decided.
    expect(ticked(due, undefined)).not.toHaveProperty('wakeAt');
    expect(ticked(stored({ wakeAt: plusMs(later, 1) }), plusMs(later, 2))).toMatchObject({ wakeAt: plusMs(later, 2) });
  });
});

describe('the state in a row', () => {
  it('is none when there is no row, or it is gone, or has expired', () => {
    const row = stored({ body: { n: 1 }, expiresAt: later });
    expect(stateOf(row, plusMs(later, -1))).toEqual({ n: 1 });
    expect(stateOf(row, later)).toBeUndefined();
    expect(stateOf(stored({ gone: true }), noon)).toBeUndefined();
    expect(stateOf(undefined, noon)).toBeUndefined();
  });
});
