import * as z from 'zod';
import { type Decision, nothing, type PlannedChange, write } from '../../core/decision.ts';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/**
 * The row that finds a zone by its number, and the zone's gate. Each commit that brings a node, a client system, a
 * token or a rule into a zone checks this row. It does not check the head, which every plan changes: machines that
 * enter by the hundred would conflict with each other's plans. The row stays after the zone is deleted, so that the
 * number is never reused.
 */
export const ZoneGate = z.strictObject({
  name: ZoneName,
  /** Set while the zone is being deleted: nothing can enter it. */
  deletingSince: EpochMs.optional(),
  deletedAt: EpochMs.optional(),
});
export type ZoneGate = z.infer<typeof ZoneGate>;

/** The row of a zone's gate. */
export const gateRef = refOf('zone-number', ZoneGate, (number: number) => String(number));

/** A gate as it was read. */
export type HeldGate = { readonly gate: ZoneGate; readonly number: number; readonly rev: number };

/** Why nothing may enter; undefined while the gate is open. */
export const shutBecause = ({ name, deletingSince, deletedAt }: ZoneGate): string | undefined =>
  deletedAt !== undefined
    ? `zone ${name} was deleted`
    : deletingSince !== undefined
      ? `zone ${name} is being deleted: nothing can enter it`
      : undefined;

/** The check that an entry into the zone adds to its own commit. */
export const entering = ({ number, rev }: HeldGate): PlannedChange => ({
  ref: gateRef(number),
  readRev: rev,
  decision: nothing('its zone exists'),
});

/** Shuts the gate of a zone for its deletion; a shut gate stays shut. */
export const shutGate = (gate: ZoneGate | undefined, now: EpochMs): Decision<ZoneGate> =>
  !gate || shutBecause(gate) !== undefined
    ? nothing('the gate is already shut')
    : write<ZoneGate, never>({ name: gate.name, deletingSince: now }, `zone ${gate.name} is being deleted`);

/** Opens the gate of a zone that is not empty after all. */
export const openGate = (gate: ZoneGate | undefined): Decision<ZoneGate> =>
  gate?.deletingSince === undefined || gate.deletedAt !== undefined
    ? nothing('the gate is open already, or shut for good')
    : write<ZoneGate, never>({ name: gate.name }, `zone ${gate.name} is not empty: not deleted`);
