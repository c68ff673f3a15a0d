import * as z from 'zod';
import { type Decision, nothing, type PlannedChange, write } from '../../core/decision.ts';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/**
 * The row that finds a zone by its number, and its gate: whoever brings a node, a client system, a token or a rule into
 * a zone checks this row in the same commit. Not the head, which every plan moves: machines that come in by the hundred
 * would run into each other's plans. It stays when the zone is gone, so that the number is never another's.
 */
export const ZoneGate = z.strictObject({
  name: ZoneName,
  /** Set while the zone is being deleted: nothing comes in any more. */
  deletingSince: EpochMs.optional(),
  deletedAt: EpochMs.optional(),
});
export type ZoneGate = z.infer<typeof ZoneGate>;

/** The row of a zone's gate. */
export const gateRef = refOf('zone-number', ZoneGate, (number: number) => String(number));

/** A gate as it was read. */
export type HeldGate = { readonly gate: ZoneGate; readonly number: number; readonly rev: number };

/** Why nothing may come in; undefined while it may. */
export const shutBecause = ({ name, deletingSince, deletedAt }: ZoneGate): string | undefined =>
  deletedAt !== undefined
    ? `zone ${name} was deleted`
    : deletingSince !== undefined
      ? `zone ${name} is being deleted: nothing comes into it`
      : undefined;

/** The check that what comes in makes part of its own commit. */
export const entering = ({ number, rev }: HeldGate): PlannedChange => ({
  ref: gateRef(number),
  readRev: rev,
  decision: nothing('its zone is there'),
});

/** Shuts the gate of a zone that is to be deleted; one that is shut stays so. */
export const shutGate = (gate: ZoneGate | undefined, now: EpochMs): Decision<ZoneGate> =>
  !gate || shutBecause(gate) !== undefined
    ? nothing('its gate is shut')
    : write<ZoneGate, never>({ name: gate.name, deletingSince: now }, `zone ${gate.name} is being deleted`);

/** Opens the gate of a zone that turned out not to be empty. */
export const openGate = (gate: ZoneGate | undefined): Decision<ZoneGate> =>
  gate?.deletingSince === undefined || gate.deletedAt !== undefined
    ? nothing('its gate is open, or shut for ever')
    : write<ZoneGate, never>({ name: gate.name }, `zone ${gate.name} is not empty and stays`);
