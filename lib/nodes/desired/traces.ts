import { type Decision, nothing, write } from '../../core/decision.ts';
import { type Desired, TraceSubsystem } from './desired.ts';

/** Whether the agent should write traces of one of its parts. */
export type TraceOrder = { readonly id: string; readonly subsystem: TraceSubsystem; readonly on: boolean };

/** Switches traces of one part on or off; those of the other parts stay as they are. */
export function decideTraces(desired: Desired | undefined, { subsystem, on }: TraceOrder): Decision<Desired> {
  const { traces = [], ...rest } = desired ?? { release: [] };
  if (traces.includes(subsystem) === on) return nothing(`traces of ${subsystem} are ${on ? 'on' : 'off'} already`);
  const next = TraceSubsystem.options.filter((one) => (one === subsystem ? on : traces.includes(one)));
  return write<Desired, never>(
    { ...rest, ...(next.length > 0 && { traces: next }) },
    `an operator switched traces of ${subsystem} ${on ? 'on' : 'off'}`,
  );
}
