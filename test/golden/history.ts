import type { EpochMs } from '../../lib/core/time.ts';
import type { Message, QueueName } from '../../lib/ports/queue/queue.ts';
import type { HttpRequest } from '../../lib/runtime/function.ts';
import type { ShellSettings } from '../../lib/runtime/shell.ts';

/** A call of a door as it came in, with the headers it was asked for. */
export type RecordedCall = Omit<HttpRequest, 'header'> & { readonly headers: Readonly<Record<string, string>> };

/**
 * One thing that happened to Muster, and when: a call of a door that wrote something or was made to, messages handed over as their door
 * had stamped them, or sweeps, the last of which began at `at`.
 */
export type Input =
  | { readonly at: EpochMs; readonly call: RecordedCall }
  | { readonly at: EpochMs; readonly from: QueueName; readonly messages: readonly Message[] }
  | { readonly at: EpochMs; readonly sweeps: number; readonly everyMs: number };

/** What happened to a deployment, from its first moment: enough to make it happen again. */
export type History = { readonly settings: Partial<ShellSettings>; readonly inputs: readonly Input[] };

/** One line for the settings, then one for each input. */
export const printHistory = ({ settings, inputs }: History): string =>
  [{ settings }, ...inputs].map((line) => `${JSON.stringify(line)}\n`).join('');

/** The history that {@link printHistory} made this text of. */
export function readHistory(text: string): History {
  const [head, ...inputs] = text.trimEnd().split('\n');
  return { ...(JSON.parse(head!) as { settings: History['settings'] }), inputs: inputs.map((line) => JSON.parse(line) as Input) };
}

/** Every message in it, in the order in which they were handed over. */
export const messagesOf = ({ inputs }: History): Message[] => inputs.flatMap((input) => ('messages' in input ? input.messages : []));
