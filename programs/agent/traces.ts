import * as z from 'zod';
import type { Fetching } from '../../lib/api/client.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { TraceSubsystem } from '../../lib/nodes/desired/desired.ts';

/** Logs what a part of the agent sees and does, where traces of that part are on; calls `what` only then. */
export type Trace = (subsystem: TraceSubsystem, what: () => string) => void;

const file = 'traces.json';
const Stored = z.strictObject({ traces: z.array(TraceSubsystem) });

/**
 * The parts of the agent that write traces into its log, as Muster's desired state asks for them. The folder records
 * them, because Muster does not repeat them to an agent that starts again.
 */
export class Traces {
  readonly #folder: Folder;
  readonly #say: (line: string) => void;
  #on: ReadonlySet<TraceSubsystem>;

  constructor({ folder, say }: { readonly folder: Folder; say(line: string): void }) {
    this.#folder = folder;
    this.#say = say;
    this.#on = new Set(readStored(folder));
    if (this.#on.size > 0) say(`traces are on: ${[...this.#on].join(', ')}`);
  }

  /** Takes the parts that Muster wants traced; without any, traces are off. */
  desired(wanted: readonly TraceSubsystem[] = []): void {
    const next = new Set(wanted);
    if (next.size === this.#on.size && wanted.every((one) => this.#on.has(one))) return;
    this.#on = next;
    if (next.size > 0) this.#folder.write(file, `${JSON.stringify({ traces: [...next] })}\n`);
    else this.#folder.remove(file);
    this.#say(next.size > 0 ? `traces are on: ${[...next].join(', ')}` : 'traces are off');
  }

  readonly trace: Trace = (subsystem, what) => {
    if (this.#on.has(subsystem)) this.#say(`trace ${subsystem}: ${what()}`);
  };

  /** Traces each call with its outcome: only method, address and status, because headers and bodies contain secrets. */
  fetching(fetching: Fetching, now: () => number): Fetching {
    return async (url, init) => {
      if (!this.#on.has('http')) return fetching(url, init);
      const [call, began] = [`${init.method} ${url.replace(/\?.*/s, '')}`, now()];
      try {
        const answer = await fetching(url, init);
        this.trace('http', () => `${call} → ${answer.status}, ${now() - began} ms`);
        return answer;
      } catch (error) {
        this.trace('http', () => `${call} → ${error instanceof Error ? error.message : String(error)}, ${now() - began} ms`);
        throw error;
      }
    };
  }
}

/**
 * An input of a part of the agent in one line: its strings, numbers and booleans, and the length of its lists. It
 * leaves out objects, such as configurations.
 */
export const inputLine = (input: { readonly type: string }): string =>
  Object.entries(input)
    .flatMap(([name, value]) => {
      if (name === 'type') return [String(value)];
      if (Array.isArray(value)) return [`${name}: ${value.length}`];
      return ['string', 'number', 'boolean'].includes(typeof value) ? [`${name}=${String(value)}`] : [];
    })
    .join(' ');

/** The recorded parts; none where the file cannot be read, since the next desired state names them again. */
function readStored(folder: Folder): readonly TraceSubsystem[] {
  try {
    return Stored.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.traces ?? [];
  } catch {
    return [];
  }
}
