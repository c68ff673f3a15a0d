import * as z from 'zod';
import type { Concluded } from '../../core/decision.ts';
import { Fingerprint } from '../../core/ids.ts';
import { dayMs } from '../../core/time.ts';
import { type Client, pooledForMs } from '../client.ts';

/**
 * The most keys recorded for one machine id. They are enough for an administrator to see the pattern of clones. If ten
 * thousand machines were made from an image that contains the id, each of them costs no more than this.
 */
const keysMax = 8;

/** The keys that reported one machine id, in the order in which they came. */
export const MachineIdKeys = z.strictObject({ keys: z.array(Fingerprint).max(keysMax) });
export type MachineIdKeys = z.infer<typeof MachineIdKeys>;

/**
 * How long a machine id is recorded for keys of which none was ever accepted. While such a key knocks, the record is
 * renewed whenever another `pooledForMs` of its life has begun, so that two of these and as much again may pass until
 * then.
 */
export const notedForMs = 3 * pooledForMs;
/** A record with less than this left is renewed. */
export const renewBelowMs = notedForMs - dayMs;

/** Whether the record of the machine id of a waiting key is due for renewal: once in each `pooledForMs` of its life. */
export const isNoteDue = ({ standing, firstSeenAt, seenAt }: Client, now: number): boolean =>
  standing === 'pooled' && Math.floor((now - firstSeenAt) / pooledForMs) > Math.floor((seenAt - firstSeenAt) / pooledForMs);

/**
 * The keys of a machine id with this one recorded as the last, if it is not among them and there is room; and the keys
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

/** Whether another key reported the machine id of this one before: then only an administrator accepts it. */
export const isDuplicate = ({ sameMachineId }: Client): boolean => (sameMachineId?.before.length ?? 0) > 0;

/** Why a key is held, in words for people. */
export const duplicateBecause = 'another key reported its machine id first, so only an administrator can accept it, by its fingerprint';

type Shared = { readonly before: readonly Fingerprint[]; readonly after: readonly Fingerprint[] };

/** A client system that shares its machine id with these others. */
export function sharing<C extends Client>(client: C, { before, after }: Shared): C {
  const { sameMachineId: _before, ...alone } = client;
  const isAlone = before.length === 0 && after.length === 0;
  return (isAlone ? alone : { ...alone, sameMachineId: { before: [...before], after: [...after] } }) as C;
}

/** The event when more keys share the machine id of a client system than were `known`. */
export function duplicated(client: Client, known: readonly Fingerprint[]): Concluded[] {
  const { fp: system, fqdn, machineId, sameMachineId, standing } = client;
  const others = sameMachineId?.before ?? [];
  if (others.every((fp) => known.includes(fp))) return [];
  return [{ type: 'client.duplicated', version: 1, data: { system, fqdn, machineId, others: [...others], held: standing === 'pooled' } }];
}

/** The data of an event for callers limited to zones: the other keys that report a machine id may be of any zone. */
export const withoutOthers = <D extends object>(type: string, data: D): D =>
  type === 'client.duplicated' ? { ...data, others: [] } : data;

/** The same client system, where other keys report its machine id `after` it, or are `gone` from those that do. */
export function sharedAnew<C extends Client>(
  client: C,
  { after, gone }: { readonly after: readonly Fingerprint[]; readonly gone: readonly Fingerprint[] },
): C {
  const { sameMachineId: known = { before: [], after: [] } } = client;
  const left = (keys: readonly Fingerprint[]) => keys.filter((fp) => !gone.includes(fp) && !after.includes(fp));
  return sharing(client, { before: left(known.before), after: [...left(known.after), ...after] });
}
