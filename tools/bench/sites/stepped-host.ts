import { wiring } from '../../../infra/wiring.ts';
import { pathOf } from '../../../lib/api/client.ts';
import type { Route } from '../../../lib/api/route.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import type { QueueName } from '../../../lib/ports/queue/queue.ts';
import type { MusterFunction } from '../../../lib/runtime/function.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import type { Shell, ShellSettings } from '../../../lib/runtime/shell.ts';
import { handlersOf, loadFunctions } from '../../../programs/local/functions.ts';
import { aShell, committing, type TestShell } from '../../support/a-shell.ts';
import { withOperator } from '../../support/operator.ts';
import { signedBy } from '../../support/signing.ts';
import { type Ledger, ledgerOf } from '../ledger.ts';

/** The parts of a call; the path's parameters by name. */
export type SteppedCall = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The machine's key that signs the call. */
  readonly by?: KeyPair;
};

/** Everything of the wiring on a table in memory whose time is stepped, with a ledger of the cost of each commit. */
export type SteppedHost = {
  readonly shell: TestShell;
  readonly ledger: Ledger;
  /** Calls a route of the contract. Throws when it is answered with an error. */
  readonly call: (route: Route, call?: SteppedCall) => Promise<Reply>;
  /** Lets time pass in periods of the sweep; queues, sweep and feed run in each. */
  readonly pass: (ms: number) => Promise<void>;
};

const sweepPeriodMs = 5_000;

/** A host at noon on which nothing has happened yet. */
export async function aSteppedHost(settings: Partial<ShellSettings> = {}): Promise<SteppedHost> {
  const functions = await loadFunctions();
  const handlers = handlersOf(functions);
  const shell = aShell({ sweepPeriodMs, ...settings });
  const ledger = ledgerOf(shell.table);
  const runs = (name: string): Shell => committing(shell, (_stored, changes) => ledger.commit(name, changes));
  const call = async (route: Route, { params, query = '', headers = {}, body, by }: SteppedCall = {}): Promise<Reply> => {
    const path = pathOf(route, params);
    const { handler } = handlers.find(({ prefix }) => path.startsWith(prefix))!;
    const json = body === undefined ? undefined : JSON.stringify(body);
    const target = { method: route.method, path, query, body: json ?? '' };
    const sent = withOperator(path, {
      ...headers,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(by && signedBy(by, target, { deployment: shell.settings.deployment, nowMs: shell.now() })),
    });
    const request = { id: shell.newId(), ...target, header: (name: string) => sent[name], source: '127.0.0.1' };
    const reply = await handler.handle(request, runs('door'));
    if (reply.status >= 300) throw new Error(`${route.method} ${path}: ${reply.status} ${reply.body}`);
    return reply;
  };
  const period = periodOf(functions, shell, runs);
  return {
    shell,
    ledger,
    call,
    pass: async (ms) => {
      for (let passedMs = 0; passedMs < ms; passedMs += sweepPeriodMs) {
        shell.step(sweepPeriodMs);
        await period();
      }
    },
  };
}

/** One period: the messages in the queues, the sweep, and the publishing of commits. */
function periodOf(functions: ReadonlyMap<string, MusterFunction>, shell: TestShell, runs: (name: string) => Shell): () => Promise<void> {
  let published = 0;
  const byName = [...functions].toSorted(([a], [b]) => orderOf(a) - orderOf(b));
  return async () => {
    for (const [name, fn] of byName) {
      if (fn.on === 'schedule') await fn.handle('message', runs(name));
      if (fn.on === 'queue') {
        const queue = wiring.functions[name]!.queue as QueueName;
        const messages = await shell.queue.receive(queue, Number.MAX_SAFE_INTEGER, 60_000);
        const failed = await fn.handle(messages, runs(name));
        if (failed.length > 0) throw new Error(`${name} failed ${failed.length} messages`);
        await shell.queue.acknowledge(
          queue,
          messages.map(({ id }) => id),
        );
      }
      if (fn.on === 'feed') {
        await fn.handle(shell.table.feed.slice(published), runs(name));
        published = shell.table.feed.length;
      }
    }
  };
}

/** Queues before the sweep, and the feed last, so that a period leaves nothing behind. */
const orderOf = (name: string): number => (name === 'publish' ? 2 : name === 'sweep' ? 1 : 0);
