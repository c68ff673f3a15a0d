import type { Assignment, Client, ClientAlias, ClientIn } from '../../../lib/clients/client.ts';
import type { Answered, Committed } from '../watching.ts';
import type { SimulatedSystem } from '../world/system.ts';

/** A node that a client system was told. */
export type Stay = {
  /** As it was told. */
  readonly told: Assignment;
  /** When that was committed, and when the row took a confirmation, by the world's clock. */
  readonly from: number;
  confirmedAt?: number;
  /** When its row said something else. */
  endedAt?: number;
  /** When that was by a ban or because it was unregistered: its tokens ended with it. */
  revokedAt?: number;
};

/** What was committed about one client system, each moment by the world's clock. */
export type ClientPast = {
  readonly fp: string;
  /** When its first row was written. */
  readonly knownAt: number;
  row: Client;
  acceptedAt?: number;
  bannedAt?: number;
  /** Bans and unregistrations. */
  readonly revocations: number[];
  readonly stays: Stay[];
  /** To which nodes it was pinned, and since when. */
  readonly pins: { readonly from: number; readonly pin: Pin | undefined }[];
};

export type Pin = NonNullable<ClientIn<'accepted'>['pin']>;

/** The pins that it had at some moment since then. */
export const pinsSince = ({ pins }: ClientPast, from: number): (Pin | undefined)[] =>
  pins.filter((_, n) => (pins[n + 1]?.from ?? Number.POSITIVE_INFINITY) >= from).map(({ pin }) => pin);

/** What follows from all commits so far about each client system. */
export class ClientTruth {
  readonly all = new Map<string, ClientPast>();
  readonly #aliases = new Map<string, { readonly of: string; readonly since: number }>();

  /** By either of its fingerprints. */
  of = (fp: string): ClientPast | undefined => this.all.get(this.#aliases.get(fp)?.of ?? fp);

  /** Whether it became known only after a moment that this is another key of a client system. */
  isNewer = (fp: string, moment: number): boolean => (this.#aliases.get(fp)?.since ?? 0) > moment;

  take(changes: readonly Committed[]): void {
    for (const { at, after } of changes) {
      if (after.key.sk !== 'client') continue;
      const body = after.body as Client | ClientAlias;
      if (body.standing !== 'alias') {
        // The machine that this was another key of was forgotten, and the key is adopted.
        this.#aliases.delete(body.fp);
        this.#see(body, at);
        continue;
      }
      const fp = after.key.pk.slice('client#'.length);
      const { since } = this.#aliases.get(fp) ?? { since: at };
      this.#aliases.set(fp, { of: body.of, since });
    }
  }

  #see(row: Client, at: number): void {
    const past = this.all.get(row.fp) ?? { fp: row.fp, knownAt: at, row, revocations: [], stays: [], pins: [{ from: 0, pin: undefined }] };
    this.all.set(row.fp, past);
    past.row = row;
    const pin = row.standing === 'accepted' ? row.pin : undefined;
    const last = past.pins.at(-1)!.pin;
    if (pin?.index !== last?.index || pin?.hard !== last?.hard) past.pins.push({ from: at, pin });
    if (row.standing === 'accepted') past.acceptedAt ??= at;
    if (row.standing === 'banned') past.bannedAt ??= at;
    stay(past, row.standing === 'accepted' ? row.told : undefined, row.standing === 'banned', at);
  }
}

function stay(past: ClientPast, told: Assignment | undefined, isBanned: boolean, at: number): void {
  const last = past.stays.at(-1);
  const open = last && last.endedAt === undefined ? last : undefined;
  const isSame = open && told && open.told.at === told.at && open.told.index === told.index && open.told.generation === told.generation;
  const isRevoked = isBanned ? past.bannedAt === at : open !== undefined && !told;
  if (isRevoked) {
    past.revocations.push(at);
    for (const one of past.stays) one.revokedAt ??= at;
  }
  if (open && !isSame) open.endedAt = at;
  if (told && !isSame) past.stays.push({ told, from: at });
  const now = past.stays.at(-1);
  if (told?.confirmedAt !== undefined && now) now.confirmedAt ??= at;
}

/**
 * Whether a machine has the minion of one that was banned, was told so, and has ended. It may have no row of its own:
 * for a ban none is made.
 */
export const isBannedByMinion = ({ ended, minion }: SimulatedSystem, clients: ClientTruth): boolean =>
  ended && minion !== undefined && clients.of(minion.fingerprint)?.bannedAt !== undefined;

/** Whether the row said so at some moment of a call. */
export const isWithin = ({ from, endedAt = Number.POSITIVE_INFINITY }: Stay, { askedAt, at }: Pick<Answered, 'askedAt' | 'at'>): boolean =>
  from <= at && endedAt >= askedAt;
