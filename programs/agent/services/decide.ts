import { type EpochMs, earlier } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { ServiceSaid } from '../processes/words.ts';
import { checkAtOf, command, type Run } from './command.ts';
import { againDueAt, drive } from './drive.ts';
import { hear, type Input } from './hear.ts';
import { type Held, type ServicesState, wantedOf } from './state.ts';

/**
 * What is done about services: one is started, ended, asked or forgotten, all are looked at, what is new is handed on.
 */
export type Action =
  | { readonly do: 'start'; readonly service: DesiredService }
  | { readonly do: 'signal'; readonly held: Held; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly do: 'forget'; readonly held: Held }
  | { readonly do: 'look'; readonly held: readonly Held[] }
  | { readonly do: 'command'; readonly held: Held; readonly service: DesiredService; readonly run: Run }
  | { readonly do: 'tell'; readonly words: readonly ServiceSaid[] }
  | { readonly do: 'say'; readonly line: string };

export type Done = Step<ServicesState, Action>;

/**
 * Decides what is done about the services of this host, as `programs/agent/processes/decide.ts` does about its
 * processes: what happened is heard, then each is driven towards what is wanted of it, and asked what is to be asked,
 * one thing at a time for each.
 */
export function decide(state: ServicesState, input: Input, now: EpochMs): Done {
  const heard = hear(state, input, now);
  const actions = [...heard.actions];
  let after = heard.next;
  for (const due of [each(drive), each(command), look]) {
    const step = due(after, now);
    after = step.next;
    actions.push(...step.actions);
  }
  const { wakeAt: _before, said, ...rest } = after;
  const wakeAt = nextMoment(after);
  const next: ServicesState = { ...rest, said: [], ...(wakeAt !== undefined && { wakeAt }) };
  return { next, actions: said.length > 0 ? [{ do: 'tell', words: said }, ...actions] : actions };
}

type Drives = (state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs) => Done;

const each =
  (drives: Drives) =>
  (state: ServicesState, now: EpochMs): Done => {
    const actions: Action[] = [];
    let next = state;
    // Before Muster has told once, nobody knows what is wanted.
    if (!state.desired) return { next, actions };
    for (const held of state.held.values()) {
      if (held.busy) continue;
      const step = drives(next, held, wantedOf(state, held.service), now);
      next = step.next;
      actions.push(...step.actions);
    }
    return { next, actions };
  };

const runs = ({ busy, is }: Held): boolean => !busy && is !== 'idle';

function look(state: ServicesState, now: EpochMs): Done {
  const held = [...state.held.values()].filter(runs);
  if (state.look.looking || now < state.look.at || held.length === 0) return { next: state, actions: [] };
  return { next: { ...state, look: { ...state.look, looking: true } }, actions: [{ do: 'look', held }] };
}

function nextMoment(state: ServicesState): EpochMs | undefined {
  const all = [...state.held.values()].filter(({ busy }) => !busy);
  const looked = !state.look.looking && all.some(runs) ? state.look.at : undefined;
  return all.reduce((at, held) => earlier(at, momentOf(held, wantedOf(state, held.service))), looked);
}

const momentOf = (held: Held, wanted: DesiredService | undefined): EpochMs | undefined => {
  if (held.is === 'stopping') return held.killed ? undefined : (held.killAt ?? held.notBefore);
  return wanted && (checkAtOf(held, wanted) ?? againDueAt(held, wanted));
};
