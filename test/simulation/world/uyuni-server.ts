import type { EpochMs } from '../../../lib/core/time.ts';
import type { OutboxRow } from '../../../lib/uyuni/outbox/row.ts';
import type { ChangeKind } from '../../../lib/uyuni/outbox/watched.ts';
import type { FeedOptions } from '../../../programs/agent/uyuni/feed.ts';
import type { Outbox } from '../../../programs/agent/uyuni/outbox.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';

/** Something that has changed on a server: nothing else that changes there has its number. */
export type ServerChange = { readonly number: number; readonly kind: ChangeKind; readonly at: EpochMs };

/** Whether everything is switched off, and until when. */
type Away = Pick<Cluster, 'isAway' | 'asleepUntil'>;

/** The connection to the database is broken. */
class Broken extends Error {
  override readonly name = 'Broken';
}

const kinds = ['system', 'channel', 'errata'] as const satisfies readonly ChangeKind[];
/** How long transactions take, and lie apart, at most, in ms. */
const lastsMaxMs = 8_000;
const apartMaxMs = 20_000;
/** How many rows the outbox holds. */
const rowsMax = 40;

/**
 * The database of a Uyuni server, with its outbox. Transactions overlap, and end in another order than they have begun
 * in; connections break.
 */
export class UyuniServer {
  readonly fqdn: string;
  /** What was changed, in the order of the commits. */
  readonly changed: ServerChange[] = [];
  readonly #around: Around;
  readonly #random: () => number;
  #rows: OutboxRow[] = [];
  readonly #writing = new Set<number>();
  #last = 0;
  #isFull = false;
  #wake: (() => void) | undefined;

  constructor(fqdn: string, around: Around) {
    this.fqdn = fqdn;
    this.#around = around;
    this.#random = around.kernel.random(`database of ${fqdn}`);
  }

  /** Has things change until it is over, while machines are switched on. */
  begin(cluster: Away, isOver: () => boolean): void {
    const { kernel } = this.#around;
    const awayMs = cluster.isAway ? cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + this.#random() * apartMaxMs, `something changes on ${this.fqdn}`, () => {
      if (isOver()) return;
      this.#transaction();
      this.begin(cluster, isOver);
    });
  }

  #transaction(): void {
    this.#last += 1;
    const [number, kind] = [this.#last, oneOf(this.#random, kinds)!];
    this.#writing.add(number);
    this.#around.kernel.after(this.#random() * lastsMaxMs, `a transaction ends on ${this.fqdn}`, () => {
      this.#writing.delete(number);
      this.changed.push({ number, kind, at: this.#around.kernel.now });
      if (this.#isFull) return;
      this.#isFull = this.#rows.length >= rowsMax;
      if (!this.#isFull) this.#rows.push(this.#row(number, kind, [[number]]));
      this.#wake?.();
    });
  }

  #row = (id: number, kind: OutboxRow['kind'], entries: OutboxRow['entries'], why: string | null = null): OutboxRow => ({
    ...{ id, xid: String(id), kind, op: entries ? 'UPDATE' : 'look', source: 'simulated', entries, why },
    ...{ count: entries && 1, digest: entries && '0' },
  });

  /** How an agent on this host reaches it. */
  reached = (): Pick<FeedOptions, 'connect' | 'inWords'> => ({
    connect: async () => this.#connection(),
    inWords: (error) => {
      if (!(error instanceof Broken)) throw error;
      return 'the database does not answer';
    },
  });

  #connection(): Outbox {
    let isOpen = true;
    const doing = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) =>
        this.#around.kernel.after(1 + this.#random() * 20, `the database of ${this.fqdn} answers`, () => {
          if (isOpen && this.#random() < 0.02) isOpen = false;
          if (isOpen) resolve(work());
          else reject(new Broken());
        }),
      );
    return {
      isOpen: () => isOpen,
      close: async () => {
        isOpen = false;
      },
      listen: (heard) =>
        doing(() => {
          this.#wake = () => isOpen && heard();
        }),
      isInItsDatabase: () => doing(() => true),
      adopt: () => doing(() => undefined),
      isFull: () => doing(() => this.#isFull),
      nextXid: () => doing(() => BigInt(this.#last + 1)),
      awaitChange: () => doing(() => undefined),
      read: (most) => doing(() => this.#readable().slice(0, most)),
      drop: (ids) =>
        doing(() => {
          this.#rows = this.#rows.filter(({ id }) => !ids.includes(id));
        }),
      lookAtEverything: (why) =>
        doing(() => {
          this.#last += 1;
          this.#isFull = false;
          this.#rows = [this.#row(this.#last, 'everything', null, why)];
        }),
      namesOf: (_kind, numbers) => doing(() => new Map(numbers.map((number) => [number, `thing ${number} of ${this.fqdn}`]))),
      fill: () => doing(() => ({ rows: this.#rows.length, bytes: 0, isFull: this.#isFull })),
      compact: () => doing(() => undefined),
    };
  }

  /** Rows of transactions below the oldest that is still writing, as they were numbered. */
  #readable(): OutboxRow[] {
    const oldest = Math.min(...this.#writing, Number.POSITIVE_INFINITY);
    return this.#rows.filter(({ id }) => id < oldest).sort((a, b) => a.id - b.id);
  }
}

/** Has things change on the servers of these hosts until it is over, while they are switched on. */
export function changeServers(hosts: readonly { readonly uyuni: UyuniServer | undefined }[], cluster: Away, isOver: () => boolean): void {
  for (const { uyuni } of hosts) uyuni?.begin(cluster, isOver);
}
