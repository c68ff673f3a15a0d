import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { about } from './forecast.ts';
import { type Freeze, frozenAs, saidOf } from './guardrails/guardrails.ts';
import type { ZoneHead } from './zone.ts';

/** What an operator may set for a zone; what is absent stays, and null is as usual. */
export type ZoneSettings = {
  readonly mode?: ZoneHead['mode'] | undefined;
  readonly remapAfterMs?: number | null | undefined;
  readonly meanwhile?: 'hold' | 'elsewhere' | undefined;
  /** How long recovering from a loss may take, in ms; null is any time. */
  readonly rtoMs?: number | null | undefined;
  /**
   * Who lets a node that was given up come back: it itself once it has flushed, or an administrator. His word is needed
   * by nodes that are given up from then on; none needs it any more once it is not wanted.
   */
  readonly readmit?: ZoneHead['readmit'] | undefined;
  /** What is frozen, as by an order to freeze; null is nothing. */
  readonly freeze?: Freeze | null | undefined;
};
/** An operator's word on a zone's settings; `id` makes repeats harmless. */
export type ZoneSettingsCommand = { readonly type: 'set'; readonly id: string } & ZoneSettings;

/** A setting once it is set; null is as usual, which is absent. */
const setTo = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);

/**
 * What a setting means for the zone's head. It is due at once: whose clients are kept, and who may be given up, is
 * planned anew.
 */
export function decideZoneSettings(head: ZoneHead | undefined, command: ZoneSettingsCommand, now: EpochMs): Decision<ZoneHead> {
  if (!head) return nothing('there is no such zone');
  const { mode, remapAfterMs, meanwhile, readmit } = command;
  const { remapAtOnce, rtoMs: before, ...kept } = head;
  const rtoMs = setTo(command.rtoMs, before);
  const freeze = setTo(command.freeze, head.brakes.freeze);
  const atOnce = remapAfterMs === undefined ? remapAtOnce : remapAfterMs === 0 ? (true as const) : undefined;
  const next: ZoneHead = {
    ...kept,
    version: head.version + 1,
    ...(mode && { mode }),
    ...(meanwhile && { meanwhile }),
    ...(readmit && { readmit }),
    remapAfterMs: remapAfterMs === undefined ? head.remapAfterMs : (remapAfterMs ?? 0),
    ...(atOnce && { remapAtOnce: atOnce }),
    ...(rtoMs !== undefined && { rtoMs }),
    ...(freeze !== head.brakes.freeze && { brakes: frozenAs(head.brakes, freeze) }),
  };
  const said = changesOf(head, next, command);
  if (said.length === 0) return nothing('nothing to set');
  return write<ZoneHead, never>(next, `set by an operator: ${said.join(', ')}`, { wakeAt: now });
}

/** What is otherwise from now on, in words. */
const changesOf = (before: ZoneHead, next: ZoneHead, { meanwhile, remapAfterMs }: ZoneSettingsCommand): string[] => [
  ...(next.mode === before.mode ? [] : [`${next.mode} mode`]),
  ...(next.meanwhile === before.meanwhile
    ? []
    : [meanwhile === 'hold' ? 'clients wait for a lost node' : 'clients of a lost node go elsewhere']),
  ...(next.rtoMs === before.rtoMs ? [] : [mayTake(next.rtoMs)]),
  ...(next.readmit === before.readmit ? [] : [comesBack(next.readmit)]),
  ...(next.brakes.freeze === before.brakes.freeze ? [] : [saidOf(next.brakes.freeze)]),
  ...(next.remapAfterMs === before.remapAfterMs && next.remapAtOnce === before.remapAtOnce ? [] : [afterOf(remapAfterMs)]),
];

const mayTake = (rtoMs: number | undefined): string => `recovering may take ${rtoMs === undefined ? 'any time' : about(rtoMs)}`;

const comesBack = (readmit: ZoneHead['readmit']): string =>
  `a node that is given up comes back ${readmit === 'auto' ? 'by itself, flushed' : "by an administrator's word"}`;

const afterOf = (remapAfterMs: number | null | undefined): string =>
  remapAfterMs === 0
    ? 'slots of a lost node move at once'
    : remapAfterMs
      ? `slots of a lost node move after ${remapAfterMs / 1000} s`
      : 'slots of a lost node move as soon as its kind allows';
