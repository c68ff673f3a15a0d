import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideChanged,
  decideEdit,
  decideLeave,
  decideSynced,
  decideTick,
  type Edited,
  type SeatNode,
} from '../../../lib/content/seat/decide.ts';
import { clocksMs, editorsMax, grantMs, idleMs, noteMs, renewMs, Seat } from '../../../lib/content/seat/seat.ts';
import type { Decision } from '../../../lib/core/decision.ts';
import { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../../lib/core/time.ts';

const zone = ZoneName.parse('emea');
const noon = 1_800_000_000_000 as EpochMs;
const nodeOf = (n: number): NodeId => NodeId.parse(`n${String(n).padStart(16, '0')}`);
const nameOf = (n: number): Fqdn => Fqdn.parse(`uyuni${n}.acme.org`);

/** A zone with so many servers, whose seat is driven input by input. Each is up until a test says otherwise. */
class Zone {
  seat: Seat | undefined;
  now = noon;
  readonly nodes: ('up' | 'silent' | 'gone')[];
  readonly generations: number[] = [];
  readonly events: { readonly type: string; readonly data: unknown }[] = [];

  constructor(nodes: number) {
    this.nodes = Array.from({ length: nodes }, () => 'up' as const);
  }

  #take(decision: Decision<Seat>): string {
    if (decision.does !== 'write') return decision.because;
    this.seat = Seat.parse(decision.next);
    this.events.push(...decision.events);
    return decision.because;
  }

  #seatNode(): SeatNode | undefined {
    const seated = this.seat?.seated;
    if (!seated) return undefined;
    const is = this.nodes[this.nodes.findIndex((_, n) => nodeOf(n) === seated.node)] ?? 'gone';
    return is === 'gone' ? { is, because: `${seated.fqdn} is down` } : { is };
  }

  edit(who: string, changes = false): Edited {
    const candidates = this.nodes.flatMap((is, n) =>
      is === 'up' ? [{ node: nodeOf(n), fqdn: nameOf(n), generation: this.generations[n] ?? 1 }] : [],
    );
    const decision = decideEdit(
      this.seat,
      { zone, who, via: 'muster', by: who, changes, seatNode: this.#seatNode(), candidates },
      this.now,
    );
    this.#take(decision);
    return decision.edited;
  }

  /** The node on which `who` may edit; undefined while that has to wait. */
  editsOn(who: string, changes = false): Fqdn | undefined {
    const edited = this.edit(who, changes);
    return edited.is === 'granted' ? edited.seated.fqdn : undefined;
  }

  finish = (who: string): string =>
    this.#take(decideLeave(this.seat, { zone, who, via: 'muster', by: who, because: `${who} has finished`, why: 'has finished' }));
  endAll = (): string => this.#take(decideLeave(this.seat, { zone, because: 'it is enough', why: 'it is enough' }));
  changed = (n: number): string => this.#take(decideChanged(this.seat, { node: nodeOf(n) }, this.now));
  synced = (n: number): string => this.#take(decideSynced(this.seat, { node: nodeOf(n) }));
  tick = (graceUntil?: EpochMs): Decision<Seat> => {
    const at = { type: 'tick' as const, zone, seatNode: this.#seatNode(), ...(graceUntil !== undefined && { graceUntil }) };
    const decision = decideTick(this.seat, at, this.now);
    this.#take(decision);
    return decision;
  };
  later(ms: number): this {
    this.now = plusMs(this.now, ms);
    return this;
  }
  get types(): string[] {
    return this.events.map(({ type }) => type);
  }
}

describe('the seat of a zone', () => {
  it('is elected by the first who edits, and the second is sent to the same node', () => {
    const one = new Zone(3);
    expect([one.editsOn('ada'), one.editsOn('ben')]).toEqual([nameOf(0), nameOf(0)]);
    expect(one.types).toEqual(['seat.elected', 'seat.entered', 'seat.entered']);
    expect(one.events.at(-1)).toMatchObject({ data: { who: 'ben', editors: 2, epoch: 1 } });
  });

  it('ends with the last editor, and the next election has another epoch', () => {
    const one = new Zone(2);
    one.edit('ada');
    one.edit('ben');
    one.finish('ada');
    expect(one.types.slice(-1)).toEqual(['seat.left']);
    one.finish('ben');
    expect(one.types.slice(-2)).toEqual(['seat.left', 'seat.ended']);
    expect(one.seat?.seated).toBeUndefined();
    one.edit('ada');
    expect(one.seat?.epoch).toBe(2);
    expect(one.finish('nobody')).toBe('nobody does not edit common content');
  });

  it('is another node only once nothing can be open on the one before', () => {
    const one = new Zone(2);
    one.edit('ada');
    one.nodes[0] = 'gone';
    expect(one.edit('ada')).toEqual({
      is: 'later',
      until: plusMs(noon, grantMs + clocksMs),
      why: 'common content may still be open on uyuni0.acme.org, which was the seat before',
    });
    expect(one.types.at(-1)).toBe('seat.lost');
    one.later(grantMs + clocksMs - 1);
    expect(one.editsOn('ada')).toBeUndefined();
    expect(one.later(1).editsOn('ada')).toBe(nameOf(1));
  });

  it('is the same node again at once', () => {
    const one = new Zone(1);
    one.edit('ada');
    one.finish('ada');
    expect(one.editsOn('ben')).toBe(nameOf(0));
  });

  it('is awaited while it is silent, and none is elected beside it', () => {
    const one = new Zone(2);
    one.edit('ada');
    one.nodes[0] = 'silent';
    expect(one.edit('ben')).toMatchObject({ is: 'later', why: expect.stringContaining('uyuni0.acme.org, which is not heard now') });
    one.later(grantMs).tick();
    expect(one.seat?.seated?.until).toBe(plusMs(noon, grantMs));
    one.nodes[0] = 'up';
    expect(one.editsOn('ben')).toBe(nameOf(0));
  });

  it('is nowhere without a server that is up', () => {
    const one = new Zone(1);
    one.nodes[0] = 'gone';
    expect(one.edit('ada')).toMatchObject({ is: 'later', why: 'no Uyuni server of zone emea is up, and has the last revision' });
    expect(one.seat).toBeUndefined();
  });

  it('goes first to the node with changes that the others lack, until an operator says that they have them', () => {
    const one = new Zone(3);
    one.edit('ada', true);
    one.finish('ada');
    one.nodes[0] = 'gone';
    one.later(grantMs + clocksMs);
    expect(one.editsOn('ada', true)).toBe(nameOf(1));
    one.finish('ada');
    one.nodes[0] = 'up';
    one.later(grantMs + clocksMs);
    expect(one.seat?.ahead?.map(({ fqdn }) => fqdn)).toEqual([nameOf(1), nameOf(0)]);
    expect(one.editsOn('ben')).toBe(nameOf(1));
    one.finish('ben');
    expect(one.synced(1)).toBe('what was changed there is on the other servers');
    expect(one.synced(1)).toBe('nothing is known to have been changed there alone');
    one.later(grantMs + clocksMs);
    expect(one.editsOn('ben')).toBe(nameOf(0));
  });

  it('notes what its server reports to have changed, and nothing of others', () => {
    const one = new Zone(2);
    expect(one.changed(0)).toBe('it is not the seat');
    one.edit('ada');
    expect(one.changed(1)).toBe('it is not the seat');
    expect(one.changed(0)).toBe('common content was changed on uyuni0.acme.org');
    expect(one.changed(0)).toBe('that was noted a moment ago');
    one.endAll();
    expect(one.events.at(-1)).toMatchObject({ type: 'seat.ended', data: { isAhead: true } });
  });

  it('notes what is reported after the end: servers report a while after the change', () => {
    const one = new Zone(2);
    one.edit('ada');
    one.finish('ada');
    expect(one.changed(1)).toBe('it is not the seat');
    expect(one.later(2 * idleMs).changed(0)).toBe('common content was changed on uyuni0.acme.org');
    one.nodes[0] = 'gone';
    one.edit('ben', true);
    one.finish('ben');
    one.nodes[0] = 'up';
    expect(one.later(grantMs + clocksMs).editsOn('cleo')).toBe(nameOf(1));
  });

  it('knows a node that has joined anew as another: it has no changes, and may not be the machine that is open', () => {
    const one = new Zone(2);
    one.edit('ada', true);
    one.nodes[0] = 'gone';
    one.tick();
    one.nodes[0] = 'up';
    one.generations[0] = 2;
    expect(one.edit('ada')).toMatchObject({ is: 'later', why: expect.stringContaining('may still be open on uyuni0.acme.org') });
    one.nodes[0] = 'silent';
    expect(one.later(grantMs + clocksMs).editsOn('ada')).toBe(nameOf(1));
  });

  it('lets nobody finish the editing of those whose calls another carries', () => {
    const one = new Zone(1);
    one.edit('ada');
    const leaving = { zone, who: 'ada', via: 'muster', by: 'key:other', because: 'ada has finished', why: 'has finished' } as const;
    expect(decideLeave(one.seat, leaving)).toMatchObject({ does: 'nothing' });
  });

  it('takes no more editors than it can name', () => {
    const one = new Zone(1);
    for (let n = 0; n < editorsMax; n++) one.edit(`editor ${n}`);
    expect(one.edit('one more')).toMatchObject({ is: 'later', why: `${editorsMax} people edit in zone emea already` });
    expect(one.editsOn('editor 7')).toBe(nameOf(0));
  });

  it('writes nothing for an editor who was just heard', () => {
    const one = new Zone(1);
    one.edit('ada', true);
    const before = one.seat;
    one.later(noteMs - 1).edit('ada', true);
    expect(one.seat).toBe(before);
    one.later(grantMs - renewMs - noteMs + 2).edit('ada', true);
    expect(one.seat?.seated?.until).toBe(plusMs(one.now, grantMs));
  });
});

describe('time', () => {
  it('renews the grant while somebody edits, in time', () => {
    const one = new Zone(1);
    one.edit('ada');
    expect(one.tick()).toMatchObject({ does: 'nothing', wakeAt: plusMs(noon, grantMs - renewMs) });
    one.later(grantMs - renewMs).tick();
    expect(one.seat?.seated?.until).toBe(plusMs(one.now, grantMs));
  });

  it('ends the editing of somebody who never comes back, and then the seat', () => {
    const one = new Zone(1);
    one.edit('ada');
    one.later(20 * minuteMs).edit('ben');
    one.later(10 * minuteMs).tick();
    expect(one.events.at(-1)).toMatchObject({
      type: 'seat.left',
      data: { who: 'ada', editors: 1, why: 'nothing was heard for 30 minutes' },
    });
    one.later(20 * minuteMs).tick();
    expect(one.types.at(-1)).toBe('seat.ended');
  });

  it('ends nobody’s editing while Muster may have slept', () => {
    const one = new Zone(1);
    one.edit('ada');
    one.later(idleMs).tick(plusMs(one.now, minuteMs));
    expect(one.seat?.seated?.editors).toHaveLength(1);
  });

  it('loses a seat that is gone', () => {
    const one = new Zone(2);
    one.edit('ada', true);
    one.nodes[0] = 'gone';
    one.tick();
    expect(one.events.at(-1)).toEqual({
      type: 'seat.lost',
      version: 1,
      data: { zone, node: nodeOf(0), fqdn: nameOf(0), epoch: 1, editors: 1, isAhead: true, why: 'uyuni0.acme.org is down' },
    });
    expect(one.tick()).toMatchObject({ does: 'nothing', because: 'nobody edits common content' });
  });
});

describe('whatever happens', () => {
  const editor = fc.constantFrom('ada', 'ben', 'cleo');
  const is = fc.constantFrom('up' as const, 'silent' as const, 'gone' as const);
  const step: fc.Arbitrary<(one: Zone) => unknown> = fc.oneof(
    fc.tuple(editor, fc.boolean()).map(
      ([who, changes]) =>
        (one: Zone) =>
          one.edit(who, changes),
    ),
    editor.map((who) => (one: Zone) => one.finish(who)),
    fc.tuple(fc.nat(2), is).map(
      ([n, now]) =>
        (one: Zone) =>
          one.nodes.splice(n, 1, now),
    ),
    fc.constant((one: Zone) => one.tick()),
    fc.nat(2).map((n) => (one: Zone) => one.synced(n)),
    fc.constantFrom(1, 1_000, renewMs, grantMs, clocksMs, 5 * minuteMs, idleMs).map((ms) => (one: Zone) => one.later(ms)),
  );

  /** Where common content was open, from and until when, and in which epoch. */
  type Open = { readonly node: string; readonly from: number; readonly until: number; readonly epoch: number };
  const openIn = ({ seat, now: from }: Zone): Open[] =>
    seat?.seated ? [{ node: seat.seated.node, from, until: seat.seated.until, epoch: seat.epoch }] : [];
  const inOrder = (a: Open, b: Open): void => {
    if (a.node !== b.node) expect(a.until).toBeLessThan(b.from);
    if (a.epoch === b.epoch) expect(a.node).toBe(b.node);
    else expect(b.epoch).toBeGreaterThan(a.epoch);
  };

  it('no two nodes are open at the same time, and no epoch has two nodes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const one = new Zone(3);
        const open = steps.flatMap((does) => {
          does(one);
          return openIn(one);
        });
        for (const [n, a] of open.entries()) for (const b of open.slice(n + 1)) inOrder(a, b);
      }),
      { numRuns: 500 },
    );
  });
});
