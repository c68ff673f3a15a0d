import type { Fqdn } from '../../lib/core/ids.ts';
import { clamp, type EpochMs, hourMs, minuteMs, plusMs, secondMs } from '../../lib/core/time.ts';
import type { Heard } from './hear.ts';
import type { CallName, ClientState, Watch } from './state.ts';

type Headers = {
  /** What the answer's headers brought, where they did. */
  readonly token?: string;
  /** The token that was sent does not hold any more: a knock brings another. */
  readonly knock?: boolean;
  readonly nextMs?: number;
  readonly watch?: Watch;
  readonly random: number;
};

/** What Muster answered: the status byte, the node's name, or that it is not this machine's turn. */
export type Answer =
  | ({ readonly type: 'byte'; readonly call: CallName; readonly byte: '0' | '1' | '2' | '3' } & Headers)
  | ({ readonly type: 'place'; readonly call: CallName; readonly fqdn: Fqdn } & Headers)
  | ({ readonly type: 'no-place'; readonly call: CallName } & Headers);

/** When Muster names no time: as often as the slowest of the impatient. */
const nextDefaultMs = minuteMs;
/** An answer never makes a daemon call again sooner, whatever it says. */
const nextMinMs = secondMs;
/**
 * Nor later than this: Muster itself says a day at the most, and a server that is broken or hostile must put no daemon
 * to sleep for ever.
 */
const nextMaxMs = 36 * hourMs;

/**
 * Times in a row that it was not our turn after which we knock all the same: a token that we take for good may be good
 * for nothing, and a knock costs Muster little more than the question.
 */
const passedOverMax = 4;

/** Folds an answer into the state: what the machine is now, and what to call next. */
export function answered(before: ClientState, answer: Answer, now: EpochMs): Heard {
  const state = answer.token === undefined ? before : { ...before, token: answer.token };
  const later = plusMs(now, clamp(answer.nextMs ?? nextDefaultMs, nextMinMs, nextMaxMs));
  const { next, says } = folded(state, answer, now, later);
  // At the time we were given, and not at once: the token that the knock brings may hold only then.
  return { next: answer.knock ? { ...next, call: { name: 'knock', at: later } } : next, says };
}

function folded(before: ClientState, answer: Answer, now: EpochMs, later: EpochMs): Heard {
  const state = answer.type === 'no-place' ? before : { ...before, passedOver: 0 };
  if (answer.type === 'place') return onPlace(state, answer, now, later);
  if (answer.type === 'no-place') return onNoPlace(state, later);
  switch (answer.byte) {
    case '0':
      return onNew(state, answer.call, now, later);
    case '1':
      return onOnboarded(state, answer.watch, now, later);
    case '2':
      return onOrphan(state, now, later);
    case '3':
      return onDeleted(state);
  }
}

/**
 * A knock is believed when it says New; any other call sends the machine to knock first, because it may only be
 * forgotten there.
 */
function onNew(state: ClientState, call: CallName, now: EpochMs, later: EpochMs): Heard {
  if (call !== 'knock') return { next: { ...state, call: { name: 'knock', at: now } }, says: [] };
  const { token: _none, place: _left, ...rest } = state;
  const next: ClientState = { ...rest, phase: 'new', lostAt: undefined, call: { name: 'knock', at: later } };
  return { next, says: state.phase === 'new' ? [] : ['new: waiting to be accepted'] };
}

function onOnboarded(state: ClientState, watch: Watch | undefined, now: EpochMs, later: EpochMs): Heard {
  // Muster knows its place and we do not: our folder was lost. The orphan call names it.
  if (!state.place) return { next: { ...state, phase: 'orphan', call: { name: 'orphan', at: now } }, says: [] };
  const place = watch ? { ...state.place, watch } : state.place;
  const next: ClientState = { ...state, phase: 'onboarded', place, call: { name: 'status', at: later } };
  return { next, says: state.phase === 'onboarded' ? [] : [`onboarded on ${place.fqdn}`] };
}

function onOrphan(state: ClientState, now: EpochMs, later: EpochMs): Heard {
  // Told and not confirmed yet is Orphan on the wire: we keep what we were told, and ask again at the time we were
  // given. Unless nobody hears it: then we ask at once whether it is still our node.
  if (state.phase === 'told' && state.lostAt === undefined) return { next: { ...state, call: { name: 'orphan', at: later } }, says: [] };
  const { place, ...rest } = state;
  const next: ClientState = { ...rest, phase: 'orphan', call: { name: 'orphan', at: now } };
  return { next, says: state.phase === 'orphan' ? [] : [place ? `orphan: no longer on ${place.fqdn}` : 'accepted: asking for a node'] };
}

function onDeleted({ token: _none, place: _left, ...state }: ClientState): Heard {
  return { next: { ...state, phase: 'deleted' }, says: ['deleted: this machine is banned; its daemon ends'] };
}

function onPlace(state: ClientState, { fqdn, watch, random }: Extract<Answer, { type: 'place' }>, now: EpochMs, later: EpochMs): Heard {
  const same = state.place?.fqdn === fqdn;
  const told: ClientState = { ...state, phase: 'told', place: { fqdn, ...(watch && { watch }) } };
  const confirming = told.drive.is === 'on' && told.drive.fqdn === fqdn;
  // While the driver works the place may change: we ask again at the time we were given. Once it succeeds, we knock.
  const call = confirming ? ({ name: 'knock', at: now } as const) : ({ name: 'orphan', at: later } as const);
  if (same) return { next: { ...told, call }, says: [] };
  const at = plusMs(now, Math.round((watch?.everyMs ?? 0) * random));
  const next: ClientState = { ...told, call, lostAt: undefined, watching: { at, misses: 0, checking: told.watching.checking } };
  return { next, says: [`told its node: ${fqdn}`] };
}

function onNoPlace(state: ClientState, later: EpochMs): Heard {
  const { place, ...rest } = state;
  const isOften = state.passedOver + 1 >= passedOverMax;
  const call = { name: isOften ? 'knock' : 'orphan', at: later } as const;
  const next: ClientState = { ...rest, phase: 'orphan', passedOver: isOften ? 0 : state.passedOver + 1, call };
  return { next, says: place ? [`orphan: ${place.fqdn} is not its node any more, and there is no other yet`] : [] };
}
