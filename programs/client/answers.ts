import type { Fqdn } from '../../lib/core/ids.ts';
import { clamp, type EpochMs, hourMs, minuteMs, plusMs, secondMs } from '../../lib/core/time.ts';
import type { Heard } from './hear.ts';
import type { CallName, ClientState, Watch } from './state.ts';

type Headers = {
  /** The token in the headers of the answer, if any. */
  readonly token?: string;
  /** The token that was sent is no longer valid; a knock gets a new one. */
  readonly knock?: boolean;
  readonly nextMs?: number;
  readonly watch?: Watch;
  readonly random: number;
};

/** Muster's answer: the status byte, the node's name, or that it is not this machine's turn. */
export type Answer =
  | ({ readonly type: 'byte'; readonly call: CallName; readonly byte: '0' | '1' | '2' | '3' } & Headers)
  | ({ readonly type: 'place'; readonly call: CallName; readonly fqdn: Fqdn } & Headers)
  | ({ readonly type: 'no-place'; readonly call: CallName } & Headers);

/** The pause before the next call when Muster names none. */
const nextDefaultMs = minuteMs;
/** The shortest pause: no answer makes a daemon call again sooner. */
const nextMinMs = secondMs;
/**
 * The longest pause. Muster itself gives at most a day, and a broken or hostile server must not put a daemon to sleep
 * for ever.
 */
const nextMaxMs = 36 * hourMs;

/**
 * After so many answers in a row that it is not its turn, the daemon knocks. A token that it takes for good may be
 * worthless, and a knock costs Muster little more than the question.
 */
const passedOverMax = 4;

/** Folds an answer into the state: what the machine is now, and what to call next. */
export function answered(before: ClientState, answer: Answer, now: EpochMs): Heard {
  const state = answer.token === undefined ? before : { ...before, token: answer.token };
  const later = plusMs(now, clamp(answer.nextMs ?? nextDefaultMs, nextMinMs, nextMaxMs));
  const { next, says } = folded(state, answer, now, later);
  // The knock waits for the given time: the token that it gets may be valid only from then on.
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
 * Handles New. Only the answer to a knock is final: after any other call the machine knocks first, because Muster may
 * merely have forgotten it there.
 */
function onNew(state: ClientState, call: CallName, now: EpochMs, later: EpochMs): Heard {
  if (call !== 'knock') return { next: { ...state, call: { name: 'knock', at: now } }, says: [] };
  const { token: _none, place: _left, ...rest } = state;
  const next: ClientState = { ...rest, phase: 'new', lostAt: undefined, call: { name: 'knock', at: later } };
  return { next, says: state.phase === 'new' ? [] : ['new: waiting to be accepted'] };
}

function onOnboarded(state: ClientState, watch: Watch | undefined, now: EpochMs, later: EpochMs): Heard {
  // Muster knows the place and this daemon does not, because its folder was lost. The orphan call names the place.
  if (!state.place) return { next: { ...state, phase: 'orphan', call: { name: 'orphan', at: now } }, says: [] };
  const place = watch ? { ...state.place, watch } : state.place;
  const next: ClientState = { ...state, phase: 'onboarded', place, call: { name: 'status', at: later } };
  return { next, says: state.phase === 'onboarded' ? [] : [`onboarded on ${place.fqdn}`] };
}

function onOrphan(state: ClientState, now: EpochMs, later: EpochMs): Heard {
  // A node that is assigned and not confirmed yet is Orphan on the wire. The daemon keeps the assignment and asks again
  // at the given time. If the node is lost, it asks at once whether that is still its node.
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
  const assigned: ClientState = { ...state, phase: 'told', place: { fqdn, ...(watch && { watch }) } };
  const confirming = assigned.drive.is === 'on' && assigned.drive.fqdn === fqdn;
  // The place may change while the driver works, so the daemon asks again at the given time. It knocks once the driver
  // succeeds.
  const call = confirming ? ({ name: 'knock', at: now } as const) : ({ name: 'orphan', at: later } as const);
  if (same) return { next: { ...assigned, call }, says: [] };
  const at = plusMs(now, Math.round((watch?.everyMs ?? 0) * random));
  const next: ClientState = { ...assigned, call, lostAt: undefined, watching: { at, misses: 0, checking: assigned.watching.checking } };
  return { next, says: [`assigned to node ${fqdn}`] };
}

function onNoPlace(state: ClientState, later: EpochMs): Heard {
  const { place, ...rest } = state;
  const isOften = state.passedOver + 1 >= passedOverMax;
  const call = { name: isOften ? 'knock' : 'orphan', at: later } as const;
  const next: ClientState = { ...rest, phase: 'orphan', passedOver: isOften ? 0 : state.passedOver + 1, call };
  return { next, says: place ? [`orphan: ${place.fqdn} is no longer its node, and no other is assigned yet`] : [] };
}
