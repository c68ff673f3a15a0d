import * as z from 'zod';
import { EpochMs, hourMs, plusMs, secondMs } from '../../core/time.ts';
import { mayBeUnderWay } from '../../core/under-way.ts';
import { tokenLifeS } from '../../identity/token.ts';

/**
 * The id of a start of a client daemon, which it makes at random and stores nowhere: a copied disk does not copy it.
 */
export const BootId = z.string().regex(/^[A-Za-z0-9_-]{8,32}$/, 'a boot id is 8 to 32 letters, digits, - or _');

/**
 * A start of the daemon that spoke, and when it was first heard since another had spoken. `signedAgoMs`: how long
 * before that the call was signed, by the clock of the machine, in ms; negative if that is ahead, and absent for a call
 * without a signature and in rows from before.
 */
const Boot = z.strictObject({ id: BootId, at: EpochMs, signedAgoMs: z.int().optional() });
export type Boot = z.infer<typeof Boot>;

/** How many boots are remembered: as many machines can take turns with one key, and are found out. */
const bootsMax = 4;

/**
 * The last boots of the daemons that spoke with one key, the present one first. `again`: an earlier one has spoken once
 * since.
 */
export const Boots = z.strictObject({ last: z.array(Boot).min(1).max(bootsMax), again: z.literal(true).optional() });
export type Boots = z.infer<typeof Boots>;

/**
 * Two machines run with one key. `since`: when that was found. `at`: when an earlier boot last spoke. `boots`: the two
 * that took turns then. `pin`: where an operator had pinned it; absent if nowhere.
 */
export const Copied = z.strictObject({
  since: EpochMs,
  at: EpochMs,
  boots: z.array(BootId).length(2),
  pin: z.strictObject({ index: z.int().nonnegative(), hard: z.boolean() }).optional(),
});
export type Copied = z.infer<typeof Copied>;

/** A client system with one key for two machines writes its row at most once an hour for that. */
const notedEveryMs = hourMs;

/**
 * How long one boot must speak alone until its key is its own again, in ms: as long as a membership token lives. A
 * machine that runs must renew its token within half of that, and shows its boot as it does.
 */
export const aloneForMs = tokenLifeS * secondMs;

/** What a row knows of boots. */
export type Known = { readonly boots?: Boots | undefined; readonly copied?: Copied | undefined };

/**
 * What it means that a boot speaks. `noted`: these are the boots now. `copied`: it takes turns with another, so that
 * two machines run with one key. `turn`: they still do. `alone`: of those that did only one has spoken for long.
 */
export type BootNews =
  | { readonly is: 'noted'; readonly boots: Boots }
  | { readonly is: 'turn'; readonly boots: Boots; readonly copied: Copied }
  | { readonly is: 'copied'; readonly boots: Boots; readonly copied: Copied }
  | { readonly is: 'alone'; readonly boots: Boots };

/**
 * A boot speaks, in a call that was received at a moment. A restart makes a new boot and never an old one again, so one
 * that another has followed shows that both run. It may have been overtaken on its way by the boot that followed it:
 * that explanation is accepted once, and the boot that followed it stays the present one. A call that was signed before
 * the present boot signed its first one is of an earlier boot, also if nobody has heard of that: it stalled, or
 * somebody has recorded it and makes it again.
 */
export function bootNews({ boots, copied }: Known, boot: Boot): BootNews | undefined {
  const { id, at } = boot;
  const [present, ...earlier] = boots?.last ?? [];
  if (!present) return { is: 'noted', boots: { last: [boot] } };
  if (present.id === id) return copied && at >= plusMs(copied.at, aloneForMs) ? { is: 'alone', boots: { last: [present] } } : undefined;
  const known = earlier.find((one) => one.id === id);
  if (at <= present.at || isSignedBefore(present, boot, known)) return undefined;
  const last = [boot, present, ...earlier.filter((one) => one !== known)].slice(0, bootsMax);
  if (!known) return { is: 'noted', boots: { last } };
  if (mayBeUnderWay(present.at, at)) return undefined;
  if (copied)
    return at < plusMs(copied.at, notedEveryMs) ? undefined : { is: 'turn', boots: { last, again: true }, copied: { ...copied, at } };
  if (!boots?.again) return { is: 'noted', boots: { last: [present, ...earlier], again: true } };
  return { is: 'copied', boots: { last, again: true }, copied: { since: at, at, boots: [present.id, id] } };
}

/**
 * Whether a call was signed before the present boot signed its first one. How far the clock of its machine is off has
 * been shown by the first call of this boot, and of the present one; both may have stalled, so the least counts.
 */
function isSignedBefore(present: Boot, { at, signedAgoMs }: Boot, known: Boot | undefined): boolean {
  if (signedAgoMs === undefined || present.signedAgoMs === undefined) return false;
  const usualMs = Math.min(present.signedAgoMs, known?.signedAgoMs ?? present.signedAgoMs);
  return plusMs(at, usualMs - signedAgoMs) <= present.at;
}

/** Why a client system is held, in words for people. */
export const copiedBecause = ({ boots: [one, other] }: Copied): string =>
  `boots ${one} and ${other} take turns: two machines run with its key`;
