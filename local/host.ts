import type { AddressInfo } from 'node:net';
import { type WiredQueue, wiring } from '../infra/wiring.ts';
import { MusterError } from '../lib/errors.ts';
import { folderAt } from '../lib/machine/folder.ts';
import type { QueueName } from '../lib/queue/queue.ts';
import type { MusterFunction } from '../lib/runtime/function.ts';
import type { Shell } from '../lib/runtime/shell.ts';
import { dayMs, type EpochMs, plusMs, unreachable } from '../lib/units.ts';
import { consume } from './consume.ts';
import { type EventStream, eventStream } from './events.ts';
import { follow } from './follow.ts';
import { loadFunctions } from './functions.ts';
import { closeServer, httpServer } from './http.ts';
import type { Loop } from './loop.ts';
import { every } from './schedule.ts';
import { type HostOptions, type LocalShell, localShell } from './shell.ts';

/** A running embedded host. */
export type Host = {
  readonly url: string;
  readonly shell: Shell;
  /** The operator's secret, as it stands in the state folder until the host stops. */
  readonly operator: string;
  readonly stop: () => Promise<void>;
};

/** The file of the state folder that holds the operator's secret in one line: whoever may read it may do everything. */
export const operatorFile = 'operator.key';

/** How long a published event stays in the feed, and so how far back a reader of the stream can resume. */
const feedForMs = dayMs;
/** How often the state file is rid of what has expired. */
const tidyEveryMs = 60_000;

/**
 * Starts everything of the wiring in this process: doors, queues, feed and schedules on one state file and one port.
 * Throws a MusterError: `state.locked` when another process has the folder, `port.busy` when the port is taken.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const local = localShell(options);
  const functions = await loadFunctions();
  const stream = eventStream('publish', local.shell, local.storage.feed);
  const server = httpServer(functions, local.shell, [stream.route]);
  try {
    await listen(server, options.port);
  } catch (error) {
    local.storage.close();
    stream.close();
    throw error;
  }
  const loops = [...startLoops(functions, local, stream), every(tidyEveryMs, () => tidy(local), local.shell)];
  const { port } = server.address() as AddressInfo;
  const folder = folderAt(options.home);
  folder.write(operatorFile, `${local.operator.text}\n`);
  return {
    url: `http://127.0.0.1:${port}`,
    shell: local.shell,
    operator: local.operator.text,
    stop: async () => {
      folder.remove(operatorFile);
      stream.close();
      await closeServer(server);
      await Promise.all(loops.map((running) => running.stop()));
      local.storage.close();
    },
  };
}

/** Listens on loopback only: until callers can prove who they are, nobody else may reach the doors. */
const listen = (server: ReturnType<typeof httpServer>, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new MusterError('port.busy', `port ${port} of 127.0.0.1 is taken: set MUSTER_PORT to another one`, 'never')
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });

function startLoops(functions: ReadonlyMap<string, MusterFunction>, { shell, storage }: LocalShell, stream: EventStream): Loop[] {
  return Object.entries(wiring.functions).flatMap(([name, wired]): Loop[] => {
    const fn = functions.get(name)!;
    switch (fn.on) {
      case 'route':
        return [];
      case 'queue':
        return [
          consume(wired.queue as QueueName, wiring.queues[wired.queue as WiredQueue], wired.timeoutSeconds, fn, shell, storage.queue),
        ];
      case 'feed':
        return [follow(name, fn, shell, storage.feed, stream.tell)];
      case 'schedule':
        return [every(shell.settings.sweepPeriodMs, () => fn.handle('message', shell), shell)];
      default:
        return unreachable(fn);
    }
  });
}

async function tidy({ shell, storage }: LocalShell): Promise<void> {
  await storage.table.removeExpired(shell.now(), 1_000);
  await storage.feed.trim(plusMs(shell.now(), -feedForMs) as EpochMs);
}
