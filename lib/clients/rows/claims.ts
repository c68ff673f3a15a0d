import * as z from 'zod';
import type { Concluded } from '../../core/decision.ts';
import { Fingerprint, type Fqdn } from '../../core/ids.ts';
import { isNoName } from '../../core/no-name.ts';
import { dayMs } from '../../core/time.ts';
import { type Client, pooledForMs } from '../client.ts';
import { copiedBecause } from './boots.ts';

/**
 * What a machine claims beside its key, and no other machine should: the id of its installation, and its name. The keys
 * are compared as they are: names are in lower case already, and one without a domain is another than one with it.
 */
export const claims = ['machine-id', 'system-name'] as const;
export type Claim = (typeof claims)[number];

/** The values that a machine claims. */
export type Claimed = { readonly machineId: string; readonly fqdn: Fqdn };

/** The value of a claim of a machine. */
export const claimedBy = (claim: Claim, { machineId, fqdn }: Claimed): string => (claim === 'machine-id' ? machineId : fqdn);

/** The field of a client system's row that has the other keys with the same claim. */
const fieldOf = { 'machine-id': 'sameMachineId', 'system-name': 'sameName' } as const satisfies Record<Claim, keyof Client>;

/** What a claim is called in words for people. */
export const wordOf = { 'machine-id': 'machine id', 'system-name': 'name' } as const satisfies Record<Claim, string>;

/**
 * The most keys recorded for one claim. They are enough for an administrator to see the pattern of clones. If ten
 * thousand machines were made from an image that contains the id, each of them costs no more than this.
 */
const keysMax = 8;

/** The keys that made one claim, in the order in which they came. */
export const ClaimKeys = z.strictObject({ keys: z.array(Fingerprint).max(keysMax) });
export type ClaimKeys = z.infer<typeof ClaimKeys>;

/**
 * How long a claim is recorded for keys of which none was ever accepted. While such a key knocks, the record is renewed
 * whenever another `pooledForMs` of its life has begun, so that two of these and as much again may pass until then.
 */
export const notedForMs = 3 * pooledForMs;
/** A record with less than this left is renewed. */
export const renewBelowMs = notedForMs - dayMs;

/** Whether the records of a waiting key are due for renewal: once in each `pooledForMs` of its life. */
export const isNoteDue = ({ standing, firstSeenAt, seenAt }: Client, now: number): boolean =>
  standing === 'pooled' && Math.floor((now - firstSeenAt) / pooledForMs) > Math.floor((seenAt - firstSeenAt) / pooledForMs);

/**
 * The keys of a claim with this one recorded as the last, if it is not among them and there is room; and the keys
 * before it.
 */
export function withKey(
  keys: readonly Fingerprint[],
  fp: Fingerprint,
): { readonly keys: readonly Fingerprint[]; readonly before: Fingerprint[] } {
  const at = keys.indexOf(fp);
  if (at >= 0) return { keys, before: keys.slice(0, at) };
  return { keys: keys.length < keysMax ? [...keys, fp] : keys, before: [...keys] };
}

/** Other keys with the same claim, which came before this one or after it. */
export type Shared = { readonly before: readonly Fingerprint[]; readonly after: readonly Fingerprint[] };
const alone: Shared = { before: [], after: [] };

/** The other keys with the same claim, as the row of a client system has them. */
export const sharedOf = (client: Client, claim: Claim): Shared => client[fieldOf[claim]] ?? alone;

const onlyByWord = 'so only an administrator can accept it, by its fingerprint';

/**
 * Why only an administrator's word about a key accepts it, in words for people: other keys made these claims of it
 * first, or its name names no machine. Undefined for a key that anything may accept.
 */
export function heldByClaims(fqdn: Fqdn, before: Readonly<Record<Claim, readonly Fingerprint[]>>): string | undefined {
  const taken = claims.filter((claim) => before[claim].length > 0);
  if (taken.length > 0) return `another key reported its ${wordsOf(taken)} first, ${onlyByWord}`;
  return isNoName(fqdn) ? `${fqdn} names no machine, ${onlyByWord}; give the machine a host name of its own` : undefined;
}

const wordsOf = (taken: readonly Claim[]): string => taken.map((claim) => wordOf[claim]).join(' and its ');

const beforeOf = (client: Client): Record<Claim, readonly Fingerprint[]> => ({
  'machine-id': sharedOf(client, 'machine-id').before,
  'system-name': sharedOf(client, 'system-name').before,
});

/** Why a key is held until an administrator accepts it by its fingerprint; undefined if it is not. */
export const duplicateBecause = (client: Client): string | undefined => heldByClaims(client.fqdn, beforeOf(client)) ?? heldForTwo(client);

/** Why a key is held by which two machines run, in words for people; undefined if it is not. */
export const heldForTwo = ({ copied }: Partial<Pick<Client, 'copied'>>): string | undefined =>
  copied && `${copiedBecause(copied)}, ${onlyByWord}`;

/** Whether only an administrator's word about this key accepts it. */
export const isDuplicate = (client: Client): boolean => duplicateBecause(client) !== undefined;

/** Why a key is held by one of its claims, in words for people. */
export const takenBecause = (claim: Claim): string => `another key reported its ${wordOf[claim]} first, ${onlyByWord}`;

/** What an acceptance says of a key that was held; empty for any other. */
export function besideBecause(client: Client): string {
  const taken = claims.filter((claim) => sharedOf(client, claim).before.length > 0);
  if (taken.length > 0) return `, although another key reports its ${wordsOf(taken)}`;
  if (isNoName(client.fqdn)) return `, although ${client.fqdn} names no machine`;
  return client.copied ? ', although two machines run with its key' : '';
}

/** A client system that shares a claim with these others. */
export function sharing<C extends Client>(client: C, claim: Claim, { before, after }: Shared): C {
  const { [fieldOf[claim]]: _before, ...others } = client;
  const isAlone = before.length === 0 && after.length === 0;
  return (isAlone ? others : { ...others, [fieldOf[claim]]: { before: [...before], after: [...after] } }) as C;
}

/** The event when more keys made a claim of a client system before it than were `known`. */
export function duplicated(client: Client, claim: Claim, known: readonly Fingerprint[]): Concluded[] {
  const { fp: system, fqdn, machineId, standing } = client;
  const others = sharedOf(client, claim).before;
  if (others.every((fp) => known.includes(fp))) return [];
  const data = { others: [...others], held: standing === 'pooled' };
  return claim === 'machine-id'
    ? [{ type: 'client.duplicated', version: 1, data: { system, fqdn, machineId, ...data } }]
    : [{ type: 'client.name-shared', version: 1, data: { system, fqdn, ...data } }];
}

/** The data of an event for callers limited to zones: the other keys with a claim may be of any zone. */
export const withoutOthers = <D extends object>(type: string, data: D): D =>
  type === 'client.duplicated' || type === 'client.name-shared' ? { ...data, others: [] } : data;

/** The same client system, where other keys make a claim of its `after` it, or are `gone` from those that do. */
export function sharedAnew<C extends Client>(
  client: C,
  claim: Claim,
  { after, gone }: { readonly after: readonly Fingerprint[]; readonly gone: readonly Fingerprint[] },
): C {
  const known = sharedOf(client, claim);
  const left = (keys: readonly Fingerprint[]) => keys.filter((fp) => !gone.includes(fp) && !after.includes(fp));
  return sharing(client, claim, { before: left(known.before), after: [...left(known.after), ...after] });
}
