import { wiring } from '../../infra/wiring.ts';
import { plusMs } from '../../lib/core/time.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import type { HttpRequest, MusterFunction, RouteFunction } from '../../lib/runtime/function.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { loadFunctions } from '../../programs/local/functions.ts';
import { stepped, type World } from '../../tools/support/stepped.ts';
import type { History, Input } from './history.ts';
import type { End } from './replay.ts';

/** What happens in a world while it is recorded; nothing in it may depend on how the planner divides slots among several nodes. */
export type Story = (world: World) => Promise<void>;

/**
 * Slow nodes and a slow sweep: the same rules as at full speed, in a fraction of the lines. A lease is 17 minutes, and stories wait long
 * past every limit, so that a number that is changed with reason does not change how they end.
 */
const settings = { beatMinMs: 300_000, sweepPeriodMs: 60_000 };

/** Tells a story in a new world: what happened to Muster in it, and how it ended. Throws when a door did not understand a call. */
export async function recorded(story: Story): Promise<{ history: History; end: End }> {
  const inputs: Input[] = [];
  const functions = new Map([...(await loadFunctions())].map(([name, fn]) => [name, watched(name, fn, inputs)]));
  const world = await stepped({ ...settings, functions });
  await story(world);
  await world.step(0);
  const end = { at: world.now(), rows: [...world.table.rows.values()], published: world.bus.published };
  return { history: { settings, inputs: merged(inputs) }, end };
}

/** The function, which notes what comes in before it does its work. The feed is left out: it follows from the rest. */
function watched(name: string, fn: MusterFunction, inputs: Input[]): MusterFunction {
  const from = wiring.functions[name]?.queue as QueueName | undefined;
  switch (fn.on) {
    case 'route':
      return { on: 'route', handle: (request, shell) => noted(fn, request, shell, inputs) };
    case 'queue':
      return {
        on: 'queue',
        handle: (messages, shell) => {
          inputs.push({ at: shell.now(), from: from!, messages });
          return fn.handle(messages, shell);
        },
      };
    case 'schedule':
      return {
        on: 'schedule',
        handle: (trigger, shell) => {
          inputs.push({ at: shell.now(), sweeps: 1, everyMs: shell.settings.sweepPeriodMs });
          return fn.handle(trigger, shell);
        },
      };
    case 'feed':
      return fn;
  }
}

/** A call that only looked is no part of the history, nor is one that only handed a report to its queue: the message itself is. */
async function noted(door: RouteFunction, request: HttpRequest, shell: Shell, inputs: Input[]) {
  const { header, ...call } = request;
  const headers: Record<string, string> = {};
  const reply = await door.handle(
    {
      ...call,
      header: (name) => {
        const value = header(name);
        // Whoever replays it is the operator there: no secret stands in a history.
        if (value !== undefined && name !== 'authorization') headers[name] = value;
        return value;
      },
    },
    shell,
  );
  if (reply.status === 400 || reply.status === 422) throw new Error(`the story calls ${call.path} wrongly: ${reply.body}`);
  // What a station hears is decided by the door that it says so to.
  const isReport = /^\/nodes\/[^/]+\/(up|heartbeat|events|leaving)$/.test(call.path) && !call.body.includes('"hears":');
  const isStatus = call.path === '/system/status';
  if ((call.method !== 'GET' && !isReport) || isStatus || hasWritten(call.path))
    inputs.push({ at: shell.now(), call: { ...call, headers } });
  return reply;
}

/** The two questions that may write: which node is mine, and which client systems are mine. */
const hasWritten = (path: string): boolean => path === '/system/orphan' || /^\/nodes\/[^/]+\/systems$/.test(path);

/** Sweeps with nothing between them on one line. */
function merged(inputs: readonly Input[]): Input[] {
  const lines: Input[] = [];
  for (const input of inputs) {
    const last = lines.at(-1);
    const goesOn = last && 'sweeps' in last && 'sweeps' in input && plusMs(last.at, last.everyMs) === input.at;
    if (goesOn) lines[lines.length - 1] = { ...input, sweeps: last.sweeps + 1 };
    else lines.push(input);
  }
  return lines;
}
