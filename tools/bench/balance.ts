import { emptyMap, nobody, type SlotMap, slotsFor } from '../../lib/zones/map/rows/slots.ts';
import { slotsMax } from '../../lib/zones/map/split.ts';
import { place } from '../../lib/zones/placing/place.ts';
import { seeded } from '../support/seeded.ts';
import { mixed, peers, type Spread } from './peers.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { planned } from './zone-growth.ts';

const clients = 1_000_000;
/** The trials of each zone: so many random losses and joins, half and half, never below four fifths of the nodes. */
const trials = [
  { nodes: 50, slots: 16_384, events: 60, evenWithin: 1.004 },
  { nodes: 500, slots: 65_536, events: 30, evenWithin: 1.01 },
] as const;
type Trial = (typeof trials)[number];
type Event = { readonly type: 'lose' | 'join'; readonly node: number; readonly live: readonly number[] };

/**
 * The same events for all: which node is lost or joins, and the live nodes then. The last node takes the place of a
 * lost one.
 */
function eventsOf({ nodes, events }: Trial): Event[] {
  const random = seeded(nodes);
  const live = Array.from({ length: nodes }, (_, node) => node);
  return Array.from({ length: events }, (_, n): Event => {
    if (random() < 0.5 && live.length > nodes * 0.8) {
      const at = Math.floor(random() * live.length);
      const node = live[at]!;
      live[at] = live.at(-1)!;
      live.pop();
      return { type: 'lose', node, live: [...live] };
    }
    live.push(nodes + n);
    return { type: 'join', node: nodes + n, live: [...live] };
  });
}

/** Our own zone: a slot map that the planner changes, thirty donors a plan. */
class Zone implements Spread {
  readonly #hashes: Uint32Array;
  readonly #shift: number;
  readonly #counts: Uint16Array;
  #map: SlotMap;
  slotsMoved = 0;
  slotsBound = 0;

  constructor(hashes: Uint32Array, slots: number, live: readonly number[]) {
    this.#hashes = hashes;
    this.#shift = 32 - Math.log2(slots);
    this.#counts = new Uint16Array(slots);
    for (const hash of hashes) this.#counts[hash >>> this.#shift]!++;
    this.#map = emptyMap(slots);
    this.#settle(live, []);
    this.slotsMoved = 0;
  }

  nodes = (): Uint16Array => Uint16Array.from(this.#hashes, (hash) => this.#map.owner[hash >>> this.#shift]!);

  lose(node: number, live: readonly number[]): void {
    this.slotsBound += this.#map.owner.filter((owner) => owner === node).length;
    this.#settle(live, []);
  }

  join(node: number, live: readonly number[]): void {
    this.slotsBound += this.#counts.length / live.length;
    this.#settle(live, [node]);
  }

  #settle(live: readonly number[], joined: readonly number[]): void {
    const weights = Array.from({ length: Math.max(...live) + 1 }, () => 0);
    for (const node of live) weights[node] = 1;
    const gone = (index: number): boolean => weights[index] !== 1;
    for (let joining = joined; ; ) {
      const rules = { leaves: gone, forgotten: gone, tells: (index: number) => !gone(index), returning: joining, joining, donorsMax: 30 };
      const { moves, settling } = place({ map: this.#map, counts: this.#counts, weights: padded(weights, this.#map), ...rules });
      this.slotsMoved += moves.filter((move) => move.from !== move.owner).length;
      for (const { slot, owner, home } of moves) [this.#map.owner[slot], this.#map.home[slot]] = [owner, home];
      if (settling.length === 0) return;
      joining = settling;
    }
  }
}

/** Weights for every index in a map, also for nodes that are gone. */
function padded(weights: readonly number[], { owner }: SlotMap): number[] {
  let size = weights.length;
  for (const index of owner) if (index !== nobody && index >= size) size = index + 1;
  return Array.from({ length: size }, (_, index) => weights[index] ?? 0);
}

/**
 * The worst max over mean, and the clients moved for each that had to move: those of a lost node, or the share of a
 * joining one.
 */
function endure(spread: Spread, events: readonly Event[]): { worst: number; moved: number } {
  let [worst, moved, bound] = [0, 0, 0];
  for (let before = spread.nodes(), n = 0; n < events.length; n++) {
    const { type, node, live } = events[n]!;
    spread[type](node, live);
    const after = spread.nodes();
    const on = new Map<number, number>();
    for (const [client, at] of after.entries()) {
      on.set(at, (on.get(at) ?? 0) + 1);
      if (before[client] !== at) moved++;
      if (type === 'lose' && before[client] === node) bound++;
    }
    if (type === 'join') bound += clients / live.length;
    worst = Math.max(worst, (Math.max(...on.values()) * live.length) / clients);
    before = after;
  }
  return { worst, moved: moved / bound };
}

function measure(trial: Trial): Figure[] {
  const { nodes, slots, events, evenWithin } = trial;
  const hashes = Uint32Array.from({ length: clients }, (_, n) => mixed(n, 0x1234567));
  const fates = eventsOf(trial);
  const live = Array.from({ length: nodes }, (_, node) => node);
  const zone = new Zone(hashes, slots, live);
  const ours = endure(zone, fates);
  const of = `(${nodes} nodes, ${slots.toLocaleString('en-US')} slots, ${events} losses and joins)`;
  const lines: Figure[] = [
    { what: `worst max ÷ mean of clients ${of}`, measured: ours.worst, unit: '×', target: { atMost: evenWithin }, note: exact(ours.worst) },
    {
      what: `slots moved ÷ lower bound ${of}`,
      measured: zone.slotsMoved / zone.slotsBound,
      unit: '×',
      target: { atMost: 1 },
      note: `${zone.slotsMoved} slots; of clients ${ours.moved.toFixed(3)} ×`,
    },
  ];
  const theirs = peers.flatMap(({ name, begin }): Figure[] => {
    const { worst, moved } = endure(begin(hashes, live), fates);
    return [
      { what: `peer: ${name}: worst max ÷ mean (${nodes} nodes)`, measured: worst, unit: '×', note: exact(worst) },
      { what: `peer: ${name}: clients moved ÷ lower bound (${nodes} nodes)`, measured: moved, unit: '×' },
    ];
  });
  return [...lines, ...theirs];
}

const exact = (worst: number): string => `${worst.toFixed(4)}; ${clients.toLocaleString('en-US')} clients, the same fates for all`;

await program(async () => [
  ...trials.flatMap(measure),
  ...(await Promise.all([10, 100, 1_000, 10_000].map((nodes) => planned({ nodes, slots: Math.min(slotsMax, slotsFor(nodes)) })))).flat(),
]);
