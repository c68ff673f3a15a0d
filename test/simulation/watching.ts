import type { SupervisorReport } from '../../events/reported/supervisor.ts';
import type { InstanceId, ServiceTypeName } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { Facts } from '../../lib/mero/facts/facts.ts';
import type { Envelope } from '../../lib/ports/bus/bus.ts';
import type { Message, QueueName } from '../../lib/ports/queue/queue.ts';
import type { Key, Row } from '../../lib/ports/table/table.ts';
import type { LogCode, LogFields } from '../../lib/runtime/log.ts';

/** One row of one commit, as it was and as it is. */
export type Committed = { readonly at: EpochMs; readonly by: string; readonly before: Row | undefined; readonly after: Row };

/** A call at a door and its answer, as whoever called has them. */
export type Answered = {
  readonly at: EpochMs;
  /** When it was asked. */
  readonly askedAt: EpochMs;
  /** On whose line it was made. */
  readonly line: string;
  /** The address that it came from; absent where nothing rests on that. */
  readonly source?: string;
  /** The headers that it was made with. */
  readonly shown: Readonly<Record<string, string>>;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly sent: unknown;
  readonly token: string | undefined;
  readonly signed: Signed | undefined;
  /** The Idempotency-Key that it was made with. */
  readonly key: string | undefined;
  /** The environment that answered. */
  readonly by: string;
  /** The id of the request there, by which rows name it as what changed them; absent where nothing rests on that. */
  readonly request?: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** What a signed call says of its signature: by which key, for which deployment, under which nonce. */
export type Signed = { readonly keyId: string; readonly nonce: string; readonly deployment: string };

/**
 * The signature that the headers of a call carry, as far as an invariant needs it; undefined for one that is not
 * signed.
 */
export function signedIn(headers: Readonly<Record<string, string>>): Signed | undefined {
  const found = /nonce="([^"]*)";keyid="([^"]*)";alg="ed25519";tag="muster-([^"]*)"/.exec(headers['signature-input'] ?? '');
  return found ? { nonce: found[1]!, keyId: found[2]!, deployment: found[3]! } : undefined;
}

/** A call that somebody captured and made again: as it was, or changed in something that its signature covers. */
export type Repeated = Answered & { readonly isChanged: boolean };

/** A message that was taken into a queue; `letter` is the dead letter that was given back with it. */
export type Sent = Pick<Message, 'id' | 'body' | 'via' | 'letter'> & { readonly queue: QueueName };

/** A call on its way to a door, whether or not it gets there. */
export type Asked = {
  readonly at: EpochMs;
  readonly method: string;
  readonly path: string;
  readonly sent: unknown;
  /** The address that it comes from; absent where nothing rests on that. */
  readonly source?: string;
};

/** A captured call on its way again, under the id that its request has now. */
export type Again = { readonly request: string; readonly signed: Signed | undefined };

/**
 * What the agent of a storage host does to a process there: it starts or stops it. `isAlive`: whether one of this fid
 * runs on the host just then.
 */
export type Ran = {
  readonly host: string;
  readonly process: string;
  readonly does: 'start' | 'stop';
  readonly goal: 'run' | 'stop' | 'watch';
  readonly start?: number;
  readonly isAlive: boolean;
};

/**
 * What the agent of a host does to one of its services: it starts or stops an instance. `runs`: which instance of it
 * runs there just then. `mayRun`: whether the host's own configuration allows the type; said of a start.
 */
export type Served = {
  readonly host: string;
  readonly service: ServiceTypeName;
  readonly instance: InstanceId;
  readonly does: 'start' | 'stop';
  readonly runs: InstanceId | undefined;
  readonly mayRun?: boolean;
};

/** A message that a service was given, by the question that it answers. */
export type Given = { readonly host: string; readonly service: ServiceTypeName; readonly instance: InstanceId; readonly ask: string };

/**
 * Which agent of a host it is that looks for others: `run` tells one from the next, and from those of copies of the
 * host.
 */
export type Supervising = { readonly host: string; readonly run: number; readonly at: EpochMs };

/** A supervisor has asked whether something takes a connection at an address. */
export type Pinged = Supervising & { readonly address: string; readonly isHeard: boolean };

/** A supervisor says to its agent whom it misses. */
export type Missing = Supervising & Pick<SupervisorReport['data'], 'missed'>;

/**
 * What a station does to the power of a host of its site, as an order has it: the command begins, or has come to its
 * end.
 */
export type Powered = {
  readonly by: string;
  readonly zone: string;
  readonly host: string;
  readonly order: number;
  readonly epoch: number;
  readonly is: 'begun' | 'over';
};

/** The facts of a storage zone as somebody has written them down by calls from one moment to another. */
export type Dumped = { readonly zone: string; readonly from: EpochMs; readonly to: EpochMs; readonly facts: Facts };

/** A delivery has reached the target of a webhook, whatever that answers; `isTaken` when it has what it was sent. */
export type Arrived = {
  readonly at: EpochMs;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isTaken: boolean;
};

/** What can be seen of a world from outside the code. Who watches implements what it needs. */
export type Watcher = {
  /** An environment has read a row, or found none. */
  readonly read?: (by: string, key: Key, row: Row | undefined) => void;
  /**
   * The rows of one commit, all at once; of a commit that leaves marks alone ({@link isMark}) only those hear who heed
   * marks.
   */
  readonly committed?: (changes: readonly Committed[]) => void;
  /**
   * Whether `committed` hears of every commit: of those who look at whatever is written, at marks, or at the time at
   * each commit.
   */
  readonly heedsMarks?: true;
  /** The deployment was stored anew from its export: what was given before is of an earlier epoch. */
  readonly restored?: (at: EpochMs) => void;
  /** Something was taken into a queue. */
  readonly sent?: (message: Sent) => void;
  readonly asked?: (call: Asked) => void;
  readonly answered?: (call: Answered) => void;
  /** Somebody who is not the caller makes a call of another's again. */
  readonly again?: (call: Again) => void;
  /** Somebody who is not the caller has made a call of another's again, and has its answer. */
  readonly repeated?: (call: Repeated) => void;
  /** An event has reached the subscriber. */
  readonly heard?: (event: Envelope) => void;
  /** A function has thrown, and not because it was killed. */
  readonly threw?: (by: string, error: unknown) => void;
  /** An agent did something to a process of its host. */
  readonly ran?: (act: Ran) => void;
  /** An agent did something to a service of its host. */
  readonly served?: (act: Served) => void;
  /** A service was given a message. */
  readonly given?: (message: Given) => void;
  readonly pinged?: (ping: Pinged) => void;
  readonly missed?: (word: Missing) => void;
  /** A command of a station is at the power of a host. */
  readonly powered?: (act: Powered) => void;
  /** Somebody has written a storage cluster down. */
  readonly dumped?: (dump: Dumped) => void;
  readonly arrived?: (delivery: Arrived) => void;
  readonly logged?: (by: string, code: LogCode, fields: LogFields) => void;
};

/** What a watcher can hear. */
type Hears = Exclude<keyof Watcher, 'heedsMarks'>;

/**
 * Whether a row says nothing but that something was done: that a nonce was used, a call was answered, an event is in
 * the history and in the journal, a sweep ran. Half of all commits write such a row alone, and to nine of ten
 * invariants it is nothing.
 */
export const isMark = ({ pk, sk }: Key): boolean =>
  /^(nonce|idempotency|history|journal)#/.test(pk) || (pk === 'deployment' && sk === 'sweep');

/** Everybody who watches, as one. */
export function allOf(watchers: readonly Watcher[]): Required<Watcher> {
  // No watcher hears more than three things at once; a list of them would be made anew for each.
  const each = <N extends Hears>(name: N): NonNullable<Watcher[N]> => {
    const all = hearing[name] as readonly ((first: unknown, second: unknown, third: unknown) => void)[];
    const tell = (first: unknown, second: unknown, third: unknown): void => {
      for (let n = 0; n < all.length; n++) all[n]!(first, second, third);
    };
    return tell as unknown as NonNullable<Watcher[N]>;
  };
  const names = [
    'read',
    'committed',
    'restored',
    'sent',
    'asked',
    'answered',
    'again',
    'repeated',
    'heard',
    'threw',
    'ran',
    'served',
    'given',
    'pinged',
    'missed',
    'powered',
    'dumped',
    'arrived',
    'logged',
  ] as const;
  const hearing = Object.fromEntries(names.map((name) => [name, watchers.flatMap((one) => one[name] ?? [])])) as {
    [N in Hears]-?: NonNullable<Watcher[N]>[];
  };
  const heeding = watchers.flatMap(({ heedsMarks, committed }) => (heedsMarks && committed ? [committed] : []));
  return {
    heedsMarks: true,
    read: each('read'),
    committed: (changes) => {
      const all = changes.every(({ after }) => isMark(after.key)) ? heeding : hearing.committed;
      for (const hear of all) hear(changes);
    },
    restored: each('restored'),
    sent: each('sent'),
    asked: each('asked'),
    answered: each('answered'),
    again: each('again'),
    repeated: each('repeated'),
    heard: each('heard'),
    threw: each('threw'),
    ran: each('ran'),
    served: each('served'),
    given: each('given'),
    pinged: each('pinged'),
    missed: each('missed'),
    powered: each('powered'),
    dumped: each('dumped'),
    arrived: each('arrived'),
    logged: each('logged'),
  };
}
