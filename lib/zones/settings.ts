import { type Decision, isSame, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { about } from './forecast.ts';
import { describeFreeze, type Freeze, frozenAs } from './guardrails/guardrails.ts';
import { type Admission, type AdmissionMode, modeOf, usualCeilingMs, usualReadyWithinMs } from './rows/admission.ts';
import type { ZoneHead } from './zone.ts';

/** What an operator may set for a zone. An absent setting stays as it is, and null resets it to the default. */
export type ZoneSettings = {
  readonly mode?: ZoneHead['mode'] | undefined;
  readonly remapAfterMs?: number | null | undefined;
  readonly meanwhile?: 'hold' | 'elsewhere' | undefined;
  /** How long recovery from a loss may take, in ms; null is any time. */
  readonly rtoMs?: number | null | undefined;
  /**
   * How a node that was given up rejoins: by itself once it has flushed, or when an administrator allows it. `admin`
   * applies to nodes that are given up from then on; once the setting is `auto`, none of them needs an administrator.
   */
  readonly readmit?: ZoneHead['readmit'] | undefined;
  /** Whether the rates of its nodes adapt, at most how fast they admit, and what is bearable; null is the default. */
  readonly admission?: AdmissionMode | undefined;
  readonly admitAtMostEveryMs?: number | null | undefined;
  readonly readyWithinMs?: number | null | undefined;
  /** The template of the pages of its nodes; null is none. */
  readonly page?: string | null | undefined;
  /** What is frozen, as by an order to freeze; null is nothing. */
  readonly freeze?: Freeze | null | undefined;
};
/** An operator's command that sets a zone's settings; `id` makes repeats harmless. */
export type ZoneSettingsCommand = { readonly type: 'set'; readonly id: string } & ZoneSettings;

/** The setting after a command; null resets it to the default, which is absent. */
const setTo = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);

/**
 * Applies settings to the zone's head. The head is due at once, because the plan must decide anew which clients are
 * retained and which nodes may be given up.
 */
export function decideZoneSettings(head: ZoneHead | undefined, command: ZoneSettingsCommand, now: EpochMs): Decision<ZoneHead> {
  if (!head) return nothing('there is no such zone');
  const { mode, remapAfterMs, meanwhile, readmit } = command;
  const { remapAtOnce, rtoMs: before, page: pageBefore, admission: admissionBefore, ...rest } = head;
  const rtoMs = setTo(command.rtoMs, before);
  const page = setTo(command.page, pageBefore);
  const admission = admissionAfter(admissionBefore, command);
  const freeze = setTo(command.freeze, head.brakes.freeze);
  const atOnce = remapAfterMs === undefined ? remapAtOnce : remapAfterMs === 0 ? (true as const) : undefined;
  const next: ZoneHead = {
    ...rest,
    version: head.version + 1,
    ...(mode && { mode }),
    ...(meanwhile && { meanwhile }),
    ...(readmit && { readmit }),
    remapAfterMs: remapAfterMs === undefined ? head.remapAfterMs : (remapAfterMs ?? 0),
    ...(atOnce && { remapAtOnce: atOnce }),
    ...(rtoMs !== undefined && { rtoMs }),
    ...(page !== undefined && { page }),
    ...(admission && { admission }),
    ...(freeze !== head.brakes.freeze && { brakes: frozenAs(head.brakes, freeze) }),
  };
  const changes = changesOf(head, next, command);
  if (changes.length === 0) return nothing('nothing to set');
  return write<ZoneHead, never>(next, `set by an operator: ${changes.join(', ')}`, { wakeAt: now });
}

/** How the nodes admit after a command; undefined by fixed rates. A zone keeps its other settings while rates adapt. */
function admissionAfter(before: Admission | undefined, command: ZoneSettings): Admission | undefined {
  const mode = command.admission ?? modeOf(before);
  if (mode === 'fixed') return undefined;
  return {
    from: mode === 'adapts-at-once' ? 'at-once' : 'measured',
    atMostEveryMs: setTo(command.admitAtMostEveryMs, before?.atMostEveryMs) ?? usualCeilingMs,
    readyWithinMs: setTo(command.readyWithinMs, before?.readyWithinMs) ?? usualReadyWithinMs,
  };
}

/** The settings that change, in words. */
const changesOf = (before: ZoneHead, next: ZoneHead, { meanwhile, remapAfterMs }: ZoneSettingsCommand): string[] => [
  ...(next.mode === before.mode ? [] : [`${next.mode} mode`]),
  ...(next.meanwhile === before.meanwhile
    ? []
    : [meanwhile === 'hold' ? 'clients wait for a lost node' : 'clients of a lost node go elsewhere']),
  ...(next.rtoMs === before.rtoMs ? [] : [mayTake(next.rtoMs)]),
  ...(next.page === before.page ? [] : [next.page === undefined ? 'its nodes have no page' : `the page of a node is ${next.page}`]),
  ...(isSame(next.admission, before.admission) ? [] : [admits(next.admission)]),
  ...(next.readmit === before.readmit ? [] : [comesBack(next.readmit)]),
  ...(next.brakes.freeze === before.brakes.freeze ? [] : [describeFreeze(next.brakes.freeze)]),
  ...(next.remapAfterMs === before.remapAfterMs && next.remapAtOnce === before.remapAtOnce ? [] : [afterOf(remapAfterMs)]),
];

const mayTake = (rtoMs: number | undefined): string => `recovery may take ${rtoMs === undefined ? 'any time' : about(rtoMs)}`;

const admits = (admission: Admission | undefined): string =>
  admission === undefined
    ? 'nodes admit at fixed rates'
    : `nodes admit as fast as they bear${admission.from === 'at-once' ? ', at once' : ''}, at most one per ${admission.atMostEveryMs / 1000} s, with first jobs within ${admission.readyWithinMs / 1000} s`;

const comesBack = (readmit: ZoneHead['readmit']): string =>
  `a node that was given up rejoins ${readmit === 'auto' ? 'by itself once flushed' : 'when an administrator allows it'}`;

const afterOf = (remapAfterMs: number | null | undefined): string =>
  remapAfterMs === 0
    ? 'slots of a lost node move at once'
    : remapAfterMs
      ? `slots of a lost node move after ${remapAfterMs / 1000} s`
      : 'slots of a lost node move as soon as its kind allows';
