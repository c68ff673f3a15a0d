import type { Grace, Read } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Desired } from '../../nodes/desired/desired.ts';
import type { Node } from '../../nodes/node.ts';
import type { Stations } from '../../stations/stations.ts';
import type { Pins } from '../pins/pins.ts';
import type { Pace } from '../rows/admission.ts';
import type { LoadedZone } from '../rows/loaded.ts';
import type { ResolvedStanding } from './follow.ts';
import type { Standing } from './rows/standing.ts';

/** A due node's row, with its reason. */
export type ReadNode = Read<Node> & { readonly because: string };

/** The rows of all members of a zone, read beside the plan and not fenced by it, and the deployment's lease in ms. */
export type ZoneMembers = { readonly nodes: readonly Node[]; readonly leaseMs: number };

/** The input of a plan. `desired` holds only the rows that an earlier round asked for. */
export type ZoneSnapshot = Grace & {
  readonly zone: LoadedZone;
  readonly headRev: number;
  /** When the head is due, for a plan that leaves it as it is. */
  readonly headWakeAt?: EpochMs | undefined;
  /** Revisions of the map's first page, of all its pages, and of the member pages, by page. */
  readonly mapRev: number;
  readonly pageRevs: readonly number[];
  readonly memberRevs: readonly number[];
  /** Revisions of the pages of turns, by page. */
  readonly scheduleRevs: readonly number[];
  /** Which client systems are pinned to which node; absent where none is. */
  readonly pins?: Read<Pins> | undefined;
  /** How often a Uyuni or Salt node admits a client that was moved to it, unless it has its own setting, in ms. */
  readonly admitEveryMs: number;
  /**
   * The rates that due nodes were found to bear, by id, where they may adapt: read beside the plan and not fenced by
   * it.
   */
  readonly paces?: ReadonlyMap<string, Pace>;
  readonly counts: ArrayLike<number>;
  /** When those were counted. */
  readonly countedAt?: EpochMs | undefined;
  /** The nodes that are due, with their rows, and those of `desired` that leave. */
  readonly nodes: readonly ReadNode[];
  /** The nodes that the plan processes; those that are missing in `nodes` have no row. Absent: all in `nodes`. */
  readonly asked?: ReadonlySet<string>;
  /** Desired states by node, for those that lose slots. */
  readonly desired: ReadonlyMap<string, Read<Desired>>;
  /** All members as the guard-rails see them; only present when an earlier round asked for it. */
  readonly allMembers?: ZoneMembers | undefined;
  /** The stations of the zone as last heard, read beside the plan and not fenced by it; absent where it has none. */
  readonly stations?: Stations | undefined;
};

/** A snapshot with the number of slots of each index, counted once: all that a plan needs of the whole map. */
export type Counted = ZoneSnapshot & { readonly owned: Uint32Array };

/** One due node: its place in the roster before and after. */
export type StandingDecision = {
  readonly index: number;
  readonly before: Standing;
  readonly standing: Standing;
  readonly resolved: ResolvedStanding;
  readonly read: ReadNode;
  /**
   * It has taken another's place in this plan; `vacates`: the index that it had until then, which no node has from now
   * on.
   */
  readonly tookOver?: { readonly vacates: number | undefined };
  /** The plan does not process this node: it only stores which slots the node must release. */
  readonly isDeferred?: true;
};
