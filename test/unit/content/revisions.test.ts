import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideApply,
  decideExported,
  decideExportFailed,
  decideResume,
  decideRollback,
  decideSpread,
  type Progress,
} from '../../../lib/content/revisions/decide.ts';
import { progressOf, serverContent } from '../../../lib/content/revisions/nodes.ts';
import { exportMs, revisionOf, revisionsMax, type ZoneContent } from '../../../lib/content/revisions/revision.ts';
import type { Seat } from '../../../lib/content/seat/seat.ts';
import { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { applyMs, type ContentDone, type DesiredContent } from '../../../lib/nodes/desired/desired.ts';
import { decideContent, decideContentDone, decideForgetContent } from '../../../lib/nodes/desired/rows/order.ts';
import { aNode, at } from '../../../tools/support/builders.ts';

const zone = ZoneName.parse('emea');
const source = { node: NodeId.parse('n0123456789abcdef'), fqdn: Fqdn.parse('uyuni1.acme.org'), generation: 2, from: at(60) };
const ordering = { zone, order: 'order-1', by: 'admin:ada', because: 'channels of November' };
const read = { order: 'order-1', root: 'aa', entries: 12, manifest: ['ab'.repeat(32)] };

const written = (decision: { readonly does: string }): ZoneContent => {
  expect(decision.does).toBe('write');
  return (decision as unknown as { next: ZoneContent }).next;
};
const exporting = (content?: ZoneContent, order = 'order-1') => written(decideApply(content, { ...ordering, order }, source));
const revised = (content?: ZoneContent, order = 'order-1') =>
  written(decideExported(exporting(content, order), { ...read, order }, at(90)));

describe('the next revision', () => {
  it('is read once nobody can edit, and begins when its agent has read it', () => {
    const decision = decideApply(undefined, ordering, source);
    expect(decision).toMatchObject({
      wakeAt: at(60),
      next: { last: 0, exporting: { order: 'order-1', until: at(60 + exportMs / 1_000) } },
    });
    const begun = decideExported(exporting(), read, at(90));
    expect(begun).toMatchObject({
      events: [{ type: 'content.applying', data: { revision: 1, entries: 12, by: 'admin:ada' } }],
      wakeAt: at(90),
    });
    expect(written(begun)).toMatchObject({ last: 1, spreading: { since: at(90) }, revisions: [{ revision: 1, fqdn: source.fqdn }] });
    expect(written(begun)).not.toHaveProperty('exporting');
  });

  it('is not read twice at once, nor taken from another order', () => {
    expect(decideApply(exporting(), { ...ordering, order: 'order-2' }, source)).toMatchObject({ does: 'refuse' });
    expect(decideExported(exporting(), { ...read, order: 'order-0' }, at(90))).toMatchObject({ does: 'nothing' });
    expect(decideExported(revised(), read, at(91))).toMatchObject({ does: 'nothing' });
    expect(decideRollback(exporting(revised(), 'order-2'), 1, ordering, at(99))).toMatchObject({ does: 'refuse' });
  });

  it('does not come where the content cannot be read: the one before stays', () => {
    const failed = decideExportFailed(exporting(revised(), 'order-2'), { order: 'order-2', why: 'no answer' }, at(99));
    expect(failed).toMatchObject({ events: [{ type: 'content.failed', data: { revision: 2, why: 'no answer' } }] });
    expect(revisionOf(written(failed))).toMatchObject({ revision: 1 });
    expect(decideExportFailed(revised(), { order: 'order-1', why: 'late' }, at(99))).toMatchObject({ does: 'nothing' });
  });

  it('has the documents of an earlier one where that is taken back, and the next number', () => {
    const back = decideRollback(revised(revised(), 'order-2'), 1, { zone, by: 'admin:ben', because: 'incomplete' }, at(200));
    expect(written(back)).toMatchObject({ last: 3, revisions: [{}, {}, { revision: 3, of: 1, by: 'admin:ben', root: 'aa' }] });
    expect(decideRollback(revised(), 1, ordering, at(9))).toMatchObject({ because: 'revision 1 is the last one' });
    expect(decideRollback(revised(), 7, ordering, at(9))).toMatchObject({ does: 'refuse' });
    expect(decideResume(undefined, 1, at(9))).toMatchObject({ does: 'refuse' });
  });

  it('is one of as many as are remembered, and its number never comes again', () => {
    let content = revised();
    for (let n = 2; n <= revisionsMax + 5; n++) content = revised(content, `order-${n}`);
    expect(content.revisions).toHaveLength(revisionsMax);
    expect(content.revisions.map(({ revision }) => revision)).toEqual(Array.from({ length: revisionsMax }, (_, n) => n + 6));
  });
});

describe('a revision', () => {
  type Fleet = { readonly total: number; readonly fails: ReadonlySet<number> };
  /** Every server that is told answers before the next look; how many were told at each. */
  const spread = ({ total, fails }: Fleet): { readonly waves: number[]; readonly content: ZoneContent } => {
    const ids = Array.from({ length: total }, (_, n) => NodeId.parse(`n${n.toString(16).padStart(16, '0')}`));
    const told = new Set<string>();
    const waves: number[] = [];
    let content = revised();
    for (let look = 0; look < 200 && content.spreading?.stopped === undefined && content.spreading; look++) {
      const [toldNow, failed] = [ids.filter((id) => told.has(id)), ids.filter((id, n) => told.has(id) && fails.has(n))];
      const progress: Progress = {
        reached: 1 + toldNow.length - failed.length,
        failed: failed.map((id) => ({ fqdn: Fqdn.parse(`${id}.acme.org`), why: 'it is full' })),
        open: 0,
        away: 0,
        due: ids.filter((id) => !told.has(id)),
      };
      const { tell, decision } = decideSpread(content, progress, at(100 + look));
      for (const id of tell) told.add(id);
      if (tell.length > 0) waves.push(tell.length);
      if (decision.does === 'write') content = decision.next;
    }
    return { waves, content };
  };

  it('goes to one server, to a tenth, and to all, fifty at a time', () => {
    expect(spread({ total: 0, fails: new Set() }).waves).toEqual([]);
    expect(spread({ total: 2, fails: new Set() }).waves).toEqual([1, 1]);
    expect(spread({ total: 99, fails: new Set() }).waves).toEqual([1, 10, 50, 38]);
  });

  it('reaches every server or stops, and no wave begins before the one before has ended', () => {
    const fleets = fc
      .integer({ min: 0, max: 150 })
      .chain((total) =>
        fc.record({ total: fc.constant(total), fails: fc.uniqueArray(fc.nat({ max: Math.max(0, total - 1) }), { maxLength: 20 }) }),
      );
    fc.assert(
      fc.property(fleets, ({ total, fails }) => {
        const { waves, content } = spread({ total, fails: new Set(total === 0 ? [] : fails) });
        const reached = waves.reduce((sum, wave) => sum + wave, 0);
        if (content.spreading === undefined) expect(reached).toBe(total);
        else expect(content.spreading.stopped).toContain('could not take it');
        const open = decideSpread(revised(), { reached: 1, failed: [], open: 1, away: 0, due: [source.node] }, at(100));
        expect(open).toMatchObject({ tell: [], decision: { does: 'nothing' } });
      }),
    );
  });

  it('stops where the first server cannot take it, and goes on when an operator says so', () => {
    const { waves, content } = spread({ total: 20, fails: new Set([0]) });
    expect(waves).toEqual([1]);
    expect(content.spreading).toMatchObject({ stopped: '1 of 21 servers could not take it; n0000000000000000.acme.org: it is full' });
    expect(decideSpread(content, { reached: 1, failed: [], open: 0, away: 0, due: [source.node] }, at(300)).tell).toEqual([]);
    expect(written(decideResume(content, 1, at(300))).spreading).toEqual({ since: at(90) });
  });

  it('waits where no server is up, so that the first that comes back is the first wave; where none is left it is done', () => {
    const none = { reached: 0, failed: [], open: 0, due: [] };
    expect(decideSpread(revised(), { ...none, away: 3 }, at(100))).toMatchObject({
      tell: [],
      decision: { does: 'nothing', because: 'no server can take it now' },
    });
    expect(decideSpread(revised(), { ...none, away: 2, due: [source.node] }, at(100)).tell).toEqual([source.node]);
    expect(decideSpread(revised(), { ...none, away: 0 }, at(100))).toMatchObject({
      decision: { does: 'write', because: 'revision 1 is on 0 servers' },
    });
    expect(decideResume(revised(), 0, at(100))).toMatchObject({ does: 'refuse', because: 'revision 1 has failed nowhere' });
  });

  it('is given to servers that come later, without waves', () => {
    const { spreading: _over, ...content } = revised();
    const later = decideSpread(content, { reached: 4, failed: [], open: 0, away: 0, due: [source.node] }, at(500));
    expect(later).toMatchObject({ tell: [source.node], decision: { does: 'nothing' } });
  });
});

describe('a server', () => {
  const node = aNode({ kind: 'uyuni', generation: 2 });
  const told: DesiredContent = { order: 'r3-2', revision: 3, manifest: [], generation: 2, at: at(10) };
  let seat: Seat | undefined;
  const is = (content: DesiredContent | undefined, of = node, now: EpochMs = at(20)) =>
    serverContent(of, content, { revision: 3, seat }, now)?.is;

  it('has a revision only as the one that it was told of, in the life that it is in', () => {
    expect(is(undefined)).toBe('due');
    expect(is(told)).toBe('open');
    expect(is({ ...told, done: { is: 'applied', at: at(15), why: [] } })).toBe('reached');
    expect(is({ ...told, done: { is: 'failed', at: at(15), why: ['full'] } })).toBe('failed');
    expect(is({ ...told, generation: 1, done: { is: 'applied', at: at(15), why: [] } }), 'it has joined anew').toBe('due');
    expect(is({ ...told, revision: 2, done: { is: 'applied', at: at(15), why: [] } })).toBe('due');
    expect(is(told, node, at(10 + applyMs / 1_000))).toBe('failed');
    expect(is(told, aNode({ kind: 'uyuni', generation: 2, status: 'suspect' } as never))).toBe('away');
    expect(is(told, aNode({ kind: 'salt' }))).toBeUndefined();
    expect(progressOf([])).toEqual({ reached: 0, failed: [], open: 0, away: 0, due: [] });
  });

  it('keeps changes that the others do not have, until somebody says that they have them', () => {
    const place = { node: node.id, fqdn: node.fqdn, generation: 2, at: at(1) };
    seat = { epoch: 1, ahead: [place] };
    expect(is(undefined)).toBe('edited');
    seat = { epoch: 1, ahead: [{ ...place, generation: 1 }] };
    expect(is(undefined), 'it has joined anew since').toBe('due');
    seat = undefined;
    expect(is(undefined)).toBe('due');
  });

  it('is told once, never to go back, and once more after it has failed', () => {
    const first = decideContent(undefined, told);
    expect(first).toMatchObject({ does: 'write', next: { content: told } });
    const desired = { release: [], content: told };
    expect(decideContent(desired, { ...told, order: 'another' }).does).toBe('nothing');
    expect(decideContent(desired, { ...told, order: 'r2-2', revision: 2 }).because).toContain('revision 3 already');
    expect(decideContent(desired, { ...told, order: 'r2-3', revision: 2, generation: 3 }).does).toBe('write');
    const done: ContentDone = { is: 'failed', at: at(30), why: ['full'] };
    expect(decideContentDone(desired, 'r2-2', done).does).toBe('nothing');
    const failed = { release: [], content: { ...told, done } };
    expect(decideContentDone(desired, 'r3-2', done)).toMatchObject({ next: failed });
    expect(decideContentDone(failed, 'r3-2', { ...done, is: 'applied' }).does, 'it answers once').toBe('nothing');
    expect(decideForgetContent(failed, 3)).toMatchObject({ next: { release: [] } });
    expect(decideForgetContent({ release: [], content: { ...told, done: { ...done, is: 'applied' } } }, 3).does).toBe('nothing');
  });
});
