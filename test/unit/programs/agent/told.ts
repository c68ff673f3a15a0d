import type { Fqdn, NodeId, ZoneName } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { type Action, decide } from '../../../../programs/agent/decide.ts';
import type { Input } from '../../../../programs/agent/hear.ts';
import { type Ledger, newLedger } from '../../../../programs/agent/ledger.ts';
import type { Refused } from '../../../../programs/agent/refusals.ts';
import { type AgentState, type Call, firstState } from '../../../../programs/agent/state.ts';

export const node = 'n0123456789abcdef' as NodeId;
export const zone = 'default' as ZoneName;
export const startedAt = 1_000_000 as EpochMs;
export const aLedger = (over: Partial<Ledger> = {}): Ledger => ({ ...newLedger('node1.acme.test' as Fqdn), ...over });

/** What an agent did, one list of actions for each input, and where it stands. */
export type Told = { state: AgentState; did: Action[][]; at: EpochMs };

/** An agent that starts; its first tick has been given. */
export const anAgent = (ledger: Ledger = aLedger(), list?: { version: number; mapVersion: number }): Told =>
  told({ state: firstState(ledger, list, startedAt), did: [], at: startedAt }, { type: 'tick' });

/** The agent after one more input, `afterMs` later. */
export function told({ state, did, at }: Told, input: Input, afterMs = 0): Told {
  const now = (at + afterMs) as EpochMs;
  const step = decide(state, input, now);
  return { state: step.next, did: [...did, step.actions.filter((action) => action.do !== 'say')], at: now };
}

/** The agent after a row of inputs, all at one moment. */
export const through = (agent: Told, ...inputs: Input[]): Told => inputs.reduce((so, input) => told(so, input), agent);

/** What it did upon the last input. */
export const last = ({ did }: Told): Action[] => did.at(-1) ?? [];

export const tick = { type: 'tick' } as const;
export const joined = { type: 'joined', node, zone, nextMs: 1 } as const;
export const acknowledged = (incarnation = 1, generation = 1): Input => ({ type: 'acknowledged', incarnation, generation, nextMs: 10_000 });
export const beaten = (over: Partial<Extract<Input, { type: 'beaten' }>> = {}): Input => ({
  type: 'beaten',
  nextMs: 10_000,
  desired: 0,
  listStale: false,
  mapVersion: 0,
  unlisted: false,
  ...over,
});
export const refused = (call: Call, problem: string, over: Partial<Refused> = {}): Refused => ({
  type: 'refused',
  call,
  problem,
  status: 409,
  detail: problem,
  retryAfterMs: 0,
  random: 0.5,
  ...over,
});

/** A member whose boot is acknowledged and who has said that it is ready. */
export const aMember = (): Told => {
  const up = told(told(anAgent(), joined), tick, 1);
  const ready = told(up, acknowledged());
  return told(ready, { type: 'reported', reports: ready.state.reports.out });
};
/** The same agent with its next heartbeat under way. */
export const beating = (agent: Told = aMember()): Told => told(agent, tick, agent.state.line.at - agent.at);
