import type { PlannedChange } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { Bus } from '../ports/bus/bus.ts';
import type { Checks } from '../ports/checks/checks.ts';
import type { Issuer } from '../ports/issuer/issuer.ts';
import type { Keys } from '../ports/keys/keys.ts';
import type { Outbound } from '../ports/outbound/outbound.ts';
import type { Queue } from '../ports/queue/queue.ts';
import type { Actor, Table } from '../ports/table/table.ts';
import type { Log } from './log.ts';
import type { Rates } from './rates.ts';
import type { Reply } from './reply.ts';

export type { Actor } from '../ports/table/table.ts';

/** What differs from host to host and from deployment to deployment. */
export type ShellSettings = {
  /** Names the deployment in events: the `source` of every envelope is `muster/<deployment>`. */
  readonly deployment: string;
  /** The smallest heartbeat interval, until the row `deployment` says otherwise. */
  readonly beatMinMs: number;
  /**
   * How often a Uyuni or Salt node admits a client that was moved, unless the node's own setting says otherwise, in ms;
   * 0 is any number at once.
   */
  readonly admitEveryMs: number;
  /**
   * How old a cached zone may be when an answer rests on it: 5 s on AWS, where every refresh is paid for; less
   * embedded.
   */
  readonly zoneMaxAgeMs: number;
  /**
   * How soon after a count of a zone's clients the next may begin: 10 min on AWS, where every read is paid for; 10 s
   * embedded.
   */
  readonly countEveryMs: number;
  /** How often the sweep runs. */
  readonly sweepPeriodMs: number;
  /** How many rows the plan of a zone takes at the most; as many as a commit takes unless told. */
  readonly planRowsMax?: number;
  /** On which receive a message that still fails becomes a `dead#` row. */
  readonly receivesMax: number;
  /** How often callers may call; absent where nobody counts. */
  readonly rates?: Rates;
  /**
   * Heartbeats are decided by the door that takes them, and go by their queue on transient failures alone: where a
   * deployment on AWS asks for it, to pay less.
   */
  readonly hearsAtOnce?: boolean;
  /**
   * A row that is due, and that a tick would only make due again within so many ms, stays due, and every sweep looks at
   * it: on AWS, where three units to move it in the index of what is due cost as much as forty looks. Absent moves it
   * each time, as where writes cost nothing.
   */
  readonly staysDueMs?: number;
  /**
   * Another address at which one route of this function is answered, too, and which its answers name; absent where
   * there is none.
   */
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
  /** What seals the audit: nobody who can write the table alone can write it anew. */
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
  /** Who says who administrators are; absent where nobody signs in by OpenID Connect. */
  readonly issuer?: Issuer;
  /** Checks by schemas that operators wrote; absent where none are made. */
  readonly checks?: Checks;
  /** Calls to targets that people named; absent where none are made. */
  readonly outbound?: Outbound;
  /**
   * SHA-256 in hex of the secret of the operator of this very deployment, who may do everything; absent where there is
   * none.
   */
  readonly operatorHash?: string;
  /** Whom changes are put down to while a verified call is answered; absent for our own doing. */
  readonly actor?: Actor;
  /**
   * What remembers the answer of this very call under its Idempotency-Key, for the plan of what must not be done twice.
   * Absent for a call that has none.
   */
  readonly answering?: (reply: Reply) => PlannedChange;
  /** What this environment remembers between calls, by name. */
  readonly caches: Map<string, unknown>;
};

/** The value cached under `name` on this shell, made on first use. */
export function cached<T>(shell: Pick<Shell, 'caches'>, name: string, make: () => T): T {
  if (!shell.caches.has(name)) shell.caches.set(name, make());
  return shell.caches.get(name) as T;
}
