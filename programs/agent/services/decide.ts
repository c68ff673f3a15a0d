import { type EpochMs, earlier } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { UnnumberedReport } from '../processes/words.ts';
import { inOrder } from '../supervised/supervised.ts';
import { checkAtOf, command, type Run } from './command.ts';
import { againDueAt, drive } from './drive.ts';
import { driveEach, lookIfDue } from './fold.ts';
import { hear, type Input } from './hear.ts';
import { type Held, type ServicesState, wantedOf } from './state.ts';

/** Actions about services: start, signal, ask or forget one, look at all of them, hand reports on, log a line. */
export type Action =
  | { readonly do: 'start'; readonly service: DesiredService }
  | { readonly do: 'signal'; readonly held: Held; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly do: 'forget'; readonly held: Held }
  | { readonly do: 'look'; readonly held: readonly Held[] }
  | { readonly do: 'command'; readonly held: Held; readonly service: DesiredService; readonly run: Run }
  | { readonly do: 'tell'; readonly reports: readonly UnnumberedReport[] }
  | { readonly do: 'say'; readonly line: string };

export type Done = Step<ServicesState, Action>;

/**
 * Decides what to do about the services of this host, as `programs/agent/processes/decide.ts` does about its processes.
 * It folds the input into the state, then drives each service towards its goal and asks it open questions, one thing at
 * a time for each.
 */
export function decide(state: ServicesState, input: Input, now: EpochMs): Done {
  const driven = (drives: Drives) => (so: ServicesState) =>
    driveEach(so, (each, held) => drives(each, held, wantedOf(so, held.service), now));
  const { next: after, actions } = inOrder<ServicesState, Action>(hear(state, input, now), driven(drive), driven(command), (so) =>
    lookIfDue(so, runs, now),
  );
  const { wakeAt: _before, reports, ...rest } = after;
  const wakeAt = nextMoment(after);
  const next: ServicesState = { ...rest, reports: [], ...(wakeAt !== undefined && { wakeAt }) };
  return { next, actions: reports.length > 0 ? [{ do: 'tell', reports }, ...actions] : actions };
}

type Drives = (state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs) => Done;

const runs = ({ busy, is }: Held): boolean => !busy && is !== 'idle';

function nextMoment(state: ServicesState): EpochMs | undefined {
  const all = [...state.held.values()].filter(({ busy }) => !busy);
  const looked = !state.look.looking && all.some(runs) ? state.look.at : undefined;
  return all.reduce((at, held) => earlier(at, momentOf(held, wantedOf(state, held.service))), looked);
}

const momentOf = (held: Held, wanted: DesiredService | undefined): EpochMs | undefined => {
  if (held.is === 'stopping') return held.killed ? undefined : (held.killAt ?? held.notBefore);
  return wanted && (checkAtOf(held, wanted) ?? againDueAt(held, wanted));
};
