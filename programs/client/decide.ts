import type { Fqdn } from '../../lib/core/ids.ts';
import { type EpochMs, earlier } from '../../lib/core/time.ts';
import type { Step } from '../../lib/machine/reactor.ts';
import { hear, type Input } from './hear.ts';
import type { CallName, ClientState, Watch } from './state.ts';

/**
 * An action of a daemon: a call of Muster, a probe of its node, a run of the driver, a look at what it drives, a line
 * in the log, or its end.
 * `lost` and `lostMs` report that its node does not answer, and for how long.
 */
export type Action =
  | { readonly do: 'knock'; readonly confirmed?: Fqdn; readonly lost: boolean }
  | { readonly do: 'status' | 'orphan'; readonly token?: string; readonly lostMs?: number }
  | { readonly do: 'watch'; readonly fqdn: Fqdn; readonly watch: Watch }
  | { readonly do: 'start'; readonly fqdn: Fqdn }
  | { readonly do: 'look'; readonly fqdn: Fqdn }
  | { readonly do: 'stop' }
  | { readonly do: 'say'; readonly line: string }
  | { readonly do: 'end' };

/**
 * Decides what a client daemon does next. It folds in what happened, then starts whatever is due: one call, one probe
 * of the node and one run of the driver at a time, so that none waits for another.
 */
export function decide(state: ClientState, input: Input, now: EpochMs): Step<ClientState, Action> {
  if (state.ended) return { next: state, actions: [] };
  const { next, says } = hear(state, input, now);
  const actions: Action[] = says.map((line) => ({ do: 'say', line }));
  let after = next;
  for (const due of [drive, look, call, watch, end]) {
    const step = due(after, now);
    after = step.next;
    actions.push(...step.actions);
  }
  return { next: armed(after), actions };
}

/** The node that the driven software should run for now; undefined when it should not run. */
export const wanted = ({ phase, place }: ClientState): Fqdn | undefined =>
  phase === 'told' || phase === 'onboarded' ? place?.fqdn : undefined;

/** Moves the driven software towards the wanted node, one run at a time; a change of node begins with a stop. */
function drive(state: ClientState, now: EpochMs): Step<ClientState, Action> {
  const { drive } = state;
  const fqdn = wanted(state);
  if (drive.is === 'starting' || drive.is === 'stopping') return stay(state);
  if (drive.is === 'found' && (state.phase === 'unheard' || state.phase === 'new')) return stay(state);
  if (drive.is === 'unsure' && now < drive.notBefore && drive.failed === (drive.fqdn === fqdn ? 'start' : 'stop')) return stay(state);
  if (drive.is === 'off') return fqdn === undefined ? stay(state) : start(state, fqdn, 0);
  if (drive.fqdn !== fqdn)
    return { next: { ...state, drive: { is: 'stopping', fqdn: drive.fqdn, failures: drive.failures } }, actions: [{ do: 'stop' }] };
  return drive.is === 'on' ? stay(state) : start(state, fqdn, drive.failures);
}

const start = (state: ClientState, fqdn: Fqdn, failures: number): Step<ClientState, Action> => ({
  next: { ...state, drive: { is: 'starting', fqdn, failures } },
  actions: [{ do: 'start', fqdn }],
});

/** Looks at times whether what was started is still up. */
function look(state: ClientState, now: EpochMs): Step<ClientState, Action> {
  if (state.drive.is !== 'on' || !state.look || state.look.checking || now < state.look.at) return stay(state);
  return { next: { ...state, look: { ...state.look, checking: true } }, actions: [{ do: 'look', fqdn: state.drive.fqdn }] };
}

function call(state: ClientState, now: EpochMs): Step<ClientState, Action> {
  if (state.calling || state.phase === 'deleted' || now < state.call.at) return stay(state);
  return { next: { ...state, calling: { name: state.call.name, again: false } }, actions: [callOf(state, state.call.name, now)] };
}

function callOf(state: ClientState, name: CallName, now: EpochMs): Action {
  const { token, lostAt } = state;
  if (name !== 'knock') return { do: name, ...(token !== undefined && { token }), ...(lostAt !== undefined && { lostMs: now - lostAt }) };
  const confirmed = confirms(state);
  return { do: 'knock', lost: lostAt !== undefined, ...(confirmed !== undefined && { confirmed }) };
}

/** The node that a knock confirms: only one for which the driver has succeeded, and that is not lost meanwhile. */
const confirms = (state: ClientState): Fqdn | undefined =>
  state.drive.is === 'on' && state.drive.fqdn === wanted(state) && state.lostAt === undefined ? state.drive.fqdn : undefined;

function watch(state: ClientState, now: EpochMs): Step<ClientState, Action> {
  const fqdn = wanted(state);
  const watched = state.place?.watch;
  if (fqdn === undefined || !watched || state.watching.checking || now < state.watching.at) return stay(state);
  return { next: { ...state, watching: { ...state.watching, checking: true } }, actions: [{ do: 'watch', fqdn, watch: watched }] };
}

/** Ends the daemon of a banned machine once nothing is driven. */
function end(state: ClientState): Step<ClientState, Action> {
  if (state.phase !== 'deleted' || state.drive.is !== 'off') return stay(state);
  return { next: { ...state, ended: true }, actions: [{ do: 'end' }] };
}

const stay = (state: ClientState): Step<ClientState, Action> => ({ next: state, actions: [] });

/** Sets the time of the next due action; work under way wakes the daemon by its outcome. */
function armed({ wakeAt: _before, ...state }: ClientState): ClientState {
  const callAt = state.calling || state.phase === 'deleted' ? undefined : state.call.at;
  const watchAt = wanted(state) !== undefined && state.place?.watch && !state.watching.checking ? state.watching.at : undefined;
  const driveAt = state.drive.is === 'unsure' ? state.drive.notBefore : undefined;
  const lookAt = state.drive.is === 'on' && !state.look?.checking ? state.look?.at : undefined;
  const wakeAt = state.ended ? undefined : earlier(earlier(callAt, watchAt), earlier(driveAt, lookAt));
  return { ...state, ...(wakeAt !== undefined && { wakeAt }) };
}
