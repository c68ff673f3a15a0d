import type { PlannedChange } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { Bus } from '../ports/bus/bus.ts';
import type { Checks } from '../ports/checks/checks.ts';
import type { Issuer } from '../ports/issuer/issuer.ts';
import type { Keys } from '../ports/keys/keys.ts';
import type { Objects } from '../ports/objects/objects.ts';
import type { Outbound } from '../ports/outbound/outbound.ts';
import type { Pages } from '../ports/page/pages.ts';
import type { Queue } from '../ports/queue/queue.ts';
import type { Actor, Table } from '../ports/table/table.ts';
import type { Log } from './log.ts';
import type { Rates } from './rates.ts';
import type { Reply } from './reply.ts';

export type { Actor } from '../ports/table/table.ts';

/** The settings that differ between hosts and between deployments. */
export type ShellSettings = {
  /** Names the deployment in events: the `source` of every envelope is `muster/<deployment>`. */
  readonly deployment: string;
  /** The smallest heartbeat interval, unless the row `deployment` sets another one. */
  readonly beatMinMs: number;
  /**
   * How often a Uyuni or Salt node admits a client that was moved, unless the node has its own setting, in ms; 0 admits
   * any number at once.
   */
  readonly admitEveryMs: number;
  /**
   * How old a cached zone may be when an answer depends on it: 5 s on AWS, where every refresh costs money; less
   * embedded.
   */
  readonly zoneMaxAgeMs: number;
  /**
   * How soon after a count of a zone's clients the next may begin: 10 min on AWS, where every read costs money; 10 s
   * embedded.
   */
  readonly countEveryMs: number;
  /** How often the sweep runs. */
  readonly sweepPeriodMs: number;
  /** The most rows of a zone's plan; by default as many as a commit takes. */
  readonly planRowsMax?: number;
  /** The receive on which a failing message becomes a `dead#` row. */
  readonly receivesMax: number;
  /** How often callers may call; absent where calls are not limited. */
  readonly rates?: Rates;
  /**
   * The endpoint that takes a heartbeat decides on it, and sends it to the queue only after a transient failure. A
   * deployment on AWS may set it to save cost.
   */
  readonly hearsAtOnce?: boolean;
  /**
   * A row that is due, and that a tick would only make due again within so many ms, stays due, and every sweep checks
   * it. This is for AWS, where moving it in the due index costs three units, as much as forty checks. When absent, the
   * row is moved each time, as where writes cost nothing.
   */
  readonly staysDueMs?: number;
  /**
   * The index of searches is stored although nobody has searched here. This is for AWS, where the function that stores
   * it answers no search.
   */
  readonly indexesUnasked?: boolean;
  /** Another address that also answers one route of this function, and that its answers name; absent without one. */
  readonly direct?: string;
};

/**
 * Everything a function may touch. One per environment: caches live here, never in a module, because one import serves
 * many.
 */
export type Shell = {
  readonly table: Table;
  readonly queue: Queue;
  readonly bus: Bus;
  readonly keys: Keys;
  /** The keys that seal the audit, so that write access to the table alone is not enough to rewrite it. */
  readonly auditKeys: Keys;
  readonly now: () => EpochMs;
  /** A new unguessable id. */
  readonly newId: () => string;
  /** So many unguessable bytes, for secrets. */
  readonly randomBytes: (bytes: number) => Uint8Array;
  /** A number in [0, 1) for jitter, never for secrets. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly log: Log;
  readonly settings: ShellSettings;
  /** The OpenID Connect provider that identifies administrators; absent without one. */
  readonly issuer?: Issuer;
  /** Checks by schemas that operators wrote; absent where none are made. */
  readonly checks?: Checks;
  /** Calls to targets that operators configured; absent where none are made. */
  readonly outbound?: Outbound;
  /** What can be made again when it is lost, such as the index of searches; absent where nothing is stored. */
  readonly objects?: Objects;
  /** The files of the page; absent where none are served. */
  readonly pages?: Pages;
  /** SHA-256 in hex of the secret of this deployment's operator, who may do everything; absent without one. */
  readonly operatorHash?: string;
  /** The actor of changes while a verified call is answered; absent for Muster's own changes. */
  readonly actor?: Actor;
  /**
   * Gives the change that stores the answer of this call under its Idempotency-Key, for plans that must not be carried
   * out twice. Absent for a call without a key.
   */
  readonly answering?: (reply: Reply) => PlannedChange;
  /** The caches of this environment between calls, by name. */
  readonly caches: Map<string, unknown>;
};

/** The value cached under `name` on this shell, made on first use. */
export function cached<T>(shell: Pick<Shell, 'caches'>, name: string, make: () => T): T {
  if (!shell.caches.has(name)) shell.caches.set(name, make());
  return shell.caches.get(name) as T;
}
