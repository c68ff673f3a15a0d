import { type Decision, nothing, write } from '../../core/decision.ts';
import { type Desired, TraceSubsystem } from './desired.ts';

/** Whether the agent is to write traces of one of its parts. */
export type TraceOrder = { readonly id: string; readonly subsystem: TraceSubsystem; readonly on: boolean };

/** Traces of one part are switched on or off; of the others they stay as they are. */
export function decideTraces(desired: Desired | undefined, { subsystem, on }: TraceOrder): Decision<Desired> {
  const { traces = [], ...rest } = desired ?? { release: [] };
  if (traces.includes(subsystem) === on) return nothing(`traces of ${subsystem} are ${on ? 'on' : 'off'} already`);
  const next = TraceSubsystem.options.filter((one) => (one === subsystem ? on : traces.includes(one)));
  return write<Desired, never>(
    { ...rest, ...(next.length > 0 && { traces: next }) },
    `an operator: traces of ${subsystem} are ${on ? 'on' : 'off'}`,
  );
}
