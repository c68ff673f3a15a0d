import type { Grace, Plan, RowRef } from '../../../lib/core/decision.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Desired } from '../../../lib/nodes/desired/desired.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { changesMax } from '../../../lib/ports/table/limits.ts';
import { fillOf } from '../../../lib/runtime/commit-size.ts';
import { applyDelta, decodePage, emptyMap } from '../../../lib/zones/map/rows/slots.ts';
import type { ZoneMembers, ZoneSnapshot } from '../../../lib/zones/map/snapshot.ts';
import { loadPins, type PinnedNode, type Pins, pinsRef } from '../../../lib/zones/pins/pins.ts';
import type { Cut } from '../../../lib/zones/placing/cut.ts';
import { isIncomplete, type Planned, plan } from '../../../lib/zones/placing/plan.ts';
import { type LoadedZone, loadMembers } from '../../../lib/zones/rows/loaded.ts';
import { loadSchedule, type SchedulePage } from '../../../lib/zones/turns/rows/pages.ts';
import type { Delta, MapPage, Members, ZoneHead } from '../../../lib/zones/zone.ts';
import { aZone } from '../../../tools/support/builders.ts';

type Kept<T> = { body: T; rev: number };
const nameOf = ({ noun, id }: RowRef): string => `${noun} ${id}`;

/**
 * A zone, its nodes and what they desire, as rows that plans are computed from and carried out on: the table of the
 * planner's tests.
 */
export class Ledger {
  readonly #rows = new Map<string, Kept<unknown>>();
  readonly #because = new Map<string, string>();
  zone: LoadedZone;
  counts: ArrayLike<number>;
  /** When those were counted; before everything, where a test is not about that. */
  countedAt: EpochMs | undefined;
  /**
   * Nobody sends heartbeats here: who has just been heard all the same. Whoever is not suspect or down, unless a test
   * says otherwise.
   */
  isHeard = ({ status }: Node): boolean => status !== 'suspect' && status !== 'down';
  /** How often the nodes admit; any number at once, where a test is not about that. */
  admitEveryMs = 0;
  /** How many rows a commit takes. */
  rowsMax = changesMax;
  /** How many bytes of those that a commit of the table takes. */
  bytesShare = 1;
  /** How full a commit these changes make. */
  readonly fillOf = (changes: Plan['changes']) => {
    const { rows, bytes } = fillOf(changes, this.rowsMax);
    return { rows, bytes: bytes / this.bytesShare };
  };

  constructor(zone: LoadedZone = aZone({ nodes: [] }), counts: ArrayLike<number> = new Uint16Array(zone.head.slots)) {
    this.zone = zone;
    this.counts = counts;
    this.#rows.set(nameOf({ noun: 'zone', id: zone.head.name }), { body: zone.head, rev: 1 });
  }

  /** A row's state; undefined when there is none. */
  read<T>(noun: string, id: string): T | undefined {
    return this.#rows.get(nameOf({ noun, id }))?.body as T | undefined;
  }

  node = (id: string): Node => this.read<Node>('node', id)!;
  /** Why a node's row is as it is. */
  because = (id: string): string => this.#because.get(nameOf({ noun: 'node', id })) ?? '';
  nodes = (): Node[] => [...this.#rows].flatMap(([name, { body }]) => (name.startsWith('node ') ? [body as Node] : []));

  /** Stores the head with something else in it, as an operator's command would. */
  setHead(given: Partial<ZoneHead>): void {
    const ref = { noun: 'zone', id: this.zone.head.name };
    this.zone = { ...this.zone, head: { ...this.zone.head, ...given } };
    this.#rows.set(nameOf(ref), { body: this.zone.head, rev: this.#rev(ref) + 1 });
  }

  /** Stores who is pinned to which node, as whoever pins them would. */
  setPins(nodes: readonly PinnedNode[]): void {
    const ref = pinsRef(this.zone.head.name);
    const body: Pins = { version: this.#rev(ref) + 1, nodes: [...nodes] };
    this.setHead({ pinned: true });
    this.#rows.set(nameOf(ref), { body, rev: this.#rev(ref) + 1 });
    this.#load(ref, body);
  }

  /** Stores a node as decide would have. */
  put(node: Node, because = 'a test says so'): void {
    const name = nameOf({ noun: 'node', id: node.id });
    this.#rows.set(name, { body: node, rev: this.#rev({ noun: 'node', id: node.id }) + 1 });
    this.#because.set(name, because);
  }

  /** A node's agent has carried out every release order. */
  release(id: string): void {
    const ref = { noun: 'desired', id };
    this.#rows.set(nameOf(ref), { body: { release: [] } satisfies Desired, rev: this.#rev(ref) + 1 });
  }

  /** What a plan for these nodes is computed from; all that await one unless told. */
  snapshot(
    ids: readonly string[] = this.nodes().flatMap((node) => (node.awaitsPlan ? [node.id] : [])),
    wanted: readonly string[] = [],
  ): ZoneSnapshot {
    const { name } = this.zone.head;
    const pins = this.read<Pins>('pins', `${name}/0`);
    return {
      zone: this.zone,
      headRev: this.#rev({ noun: 'zone', id: name }),
      mapRev: this.#rev({ noun: 'map', id: `${name}/0` }),
      pageRevs: this.#pages('map', this.zone.head.slots / 65_536),
      memberRevs: this.#pages('members', (this.zone.members.length + ids.length) / 256),
      scheduleRevs: this.#pages('turns', this.zone.head.slots / 16_384),
      ...(pins && { pins: { body: pins, rev: this.#rev(pinsRef(name)) } }),
      admitEveryMs: this.admitEveryMs,
      asked: new Set(ids),
      counts: this.counts,
      countedAt: this.countedAt,
      nodes: [...new Set([...ids, ...wanted.filter((id) => this.node(id).status === 'leaving')])].map((id) => ({
        body: this.node(id),
        rev: this.#rev({ noun: 'node', id }),
        because: this.#because.get(nameOf({ noun: 'node', id })) ?? '',
      })),
      desired: new Map(
        wanted.map((id) => [id, { body: this.read<Desired>('desired', id) ?? { release: [] }, rev: this.#rev({ noun: 'desired', id }) }]),
      ),
    };
  }

  /**
   * Plans as the sweep does, again as often as the plan asks for more, and carries it out. Throws when it asks for what
   * it was given, or when a change was not computed from the row as it is.
   */
  plan(now: EpochMs, ids?: readonly string[], grace: Grace = {}): Planned {
    const follows = new Set(ids ?? this.nodes().flatMap((node) => (node.awaitsPlan ? [node.id as string] : [])));
    const needs = new Set<string>();
    let look: ZoneMembers | undefined;
    let cut: Cut | undefined;
    for (;;) {
      const planned = plan({ ...this.snapshot([...follows], [...needs]), ...grace, allMembers: look }, now, this.fillOf, cut);
      cut = planned.cut;
      if (!isIncomplete(planned)) {
        this.#carryOut(planned);
        return planned;
      }
      const given = follows.size + needs.size + (look ? 1 : 0);
      if (planned.looks)
        look = { nodes: this.nodes().map((node) => (this.isHeard(node) ? { ...node, heardAt: now } : node)), leaseMs: 38_000 };
      for (const id of planned.follows ?? []) follows.add(id);
      for (const id of planned.needs) needs.add(id);
      if (follows.size + needs.size + (look ? 1 : 0) === given) throw new Error('it asks again for what it was given');
    }
  }

  #carryOut({ changes }: Plan): void {
    for (const { ref, readRev } of changes)
      if (readRev !== this.#rev(ref)) throw new Error(`${nameOf(ref)} was read at ${readRev} and is at ${this.#rev(ref)}`);
    for (const { ref, decision } of changes) {
      if (decision.does !== 'write') continue;
      this.#rows.set(nameOf(ref), { body: decision.next, rev: this.#rev(ref) + 1 });
      this.#because.set(nameOf(ref), decision.because);
      this.#load(ref, decision.next);
    }
  }

  #load({ noun, id }: RowRef, next: unknown): void {
    const { slots } = this.zone.head;
    const map =
      slots === this.zone.map.owner.length ? { owner: this.zone.map.owner.slice(), home: this.zone.map.home.slice() } : emptyMap(slots);
    if (noun === 'zone') this.zone = { ...this.zone, head: next as ZoneHead };
    if (noun === 'map') decodePage((next as MapPage).cells, map, Number(id.split('/')[1]));
    if (noun === 'delta') applyDelta((next as Delta).moves, map);
    if (noun === 'map' || noun === 'delta') this.zone = { ...this.zone, map };
    if (noun === 'pins') this.zone = { ...this.zone, pins: loadPins(next as Pins) };
    if (noun === 'turns') this.zone = { ...this.zone, turns: loadSchedule(this.#turnPages()) };
    if (noun !== 'members') return;
    const members = [...this.zone.members];
    loadMembers([next as Members]).forEach((member, n) => {
      members[Number(id.split('/')[1]) * 256 + n] = member;
    });
    this.zone = { ...this.zone, members };
  }

  #turnPages(): SchedulePage[] {
    const pages = this.zone.head.slots / 16_384;
    return Array.from(
      { length: Math.ceil(pages) },
      (_, page) => this.read<SchedulePage>('turns', `${this.zone.head.name}/${page}`) ?? [],
    ).flat();
  }

  #pages(noun: string, pages: number): number[] {
    return Array.from({ length: Math.ceil(pages) }, (_, page) => this.#rev({ noun, id: `${this.zone.head.name}/${page}` }));
  }

  #rev(ref: RowRef): number {
    return this.#rows.get(nameOf(ref))?.rev ?? 0;
  }
}
