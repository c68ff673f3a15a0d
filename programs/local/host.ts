import type { AddressInfo } from 'node:net';
import { type FunctionWiring, type WiredQueue, wiring } from '../../infra/wiring.ts';
import { MusterError } from '../../lib/core/errors.ts';
import { dayMs, type EpochMs, plusMs, unreachable } from '../../lib/core/time.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { MusterFunction } from '../../lib/runtime/function.ts';
import { countsHandled, noteHandled } from '../../lib/runtime/handled.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { consume } from './consume.ts';
import { type EventStream, eventStream } from './events.ts';
import { consumeFeed } from './follow.ts';
import { loadFunctions } from './functions.ts';
import { hear } from './hear.ts';
import { type HttpServer, httpServer } from './http.ts';
import { type Listening, onLoopback } from './listening.ts';
import type { Loop } from './loop.ts';
import { every } from './schedule.ts';
import { type HostOptions, type LocalShell, localShell } from './shell.ts';
import { signInLink } from './sign-in.ts';

/** A running embedded host. */
export type Host = {
  readonly url: string;
  readonly shell: Shell;
  /** The operator's secret, which the state folder holds until the host stops. */
  readonly operator: string;
  /** Makes a link that signs a person in as its operator, once and within 10 min. */
  readonly signInLink: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** The file of the state folder that holds the operator's secret in one line: a user who can read it has all rights. */
export const operatorFile = 'operator.key';

/** How long a published event stays in the feed, and so how far back a reader of the stream can resume. */
const feedForMs = dayMs;
/** How often expired entries are removed from the state file. */
const tidyEveryMs = 60_000;

/**
 * Starts everything of the wiring in this process: endpoints, queues, feed and schedules on one state file and one
 * port. Throws a MusterError: `state.locked` when another process has the folder, `import.unfinished` when it holds
 * half a deployment, `port.busy` when the port is taken.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const local = localShell(options);
  await refuseHalf(local, options.home);
  const functions = await loadFunctions();
  const stream = eventStream('publish', local.shell, local.storage.feed);
  const { listening = onLoopback } = options;
  const { server, close } = httpServer(functions, local.shell, [stream.route], listening);
  try {
    await listen(server, options.port, listening);
  } catch (error) {
    local.storage.close();
    stream.close();
    throw error;
  }
  hear(local);
  const loops = startLoops(functions, local, stream);
  const { port } = server.address() as AddressInfo;
  const folder = folderAt(options.home);
  folder.write(operatorFile, `${local.operator.text}\n`);
  const url = urlOf(listening, port);
  return {
    url,
    shell: local.shell,
    operator: local.operator.text,
    signInLink: () => signInLink(functions, local, url),
    stop: async () => {
      folder.remove(operatorFile);
      stream.close();
      await close();
      await endOf(loops);
      local.storage.close();
    },
  };
}

/** Refuses the remains of an import that was broken off: its callers would get the answer that they are unknown. */
async function refuseHalf({ storage }: LocalShell, home: string): Promise<void> {
  if ((await storage.table.read(keyOf({ noun: 'importing', id: '' }))) === undefined) return;
  storage.close();
  throw new MusterError('import.unfinished', `${home} holds half a deployment: an import was broken off; import it again`, 'never');
}

const listen = (server: HttpServer['server'], port: number, { bind }: Listening): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(whyNot(error, bind, port)));
    server.listen(port, bind, resolve);
  });

function whyNot(error: NodeJS.ErrnoException, bind: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new MusterError('port.busy', `port ${port} of ${bind} is taken: set MUSTER_PORT to another one`, 'never');
  if (error.code === 'EADDRNOTAVAIL')
    return new MusterError('listen.refused', `MUSTER_BIND is ${bind}, which is no address of this machine`, 'never');
  return error;
}

/** The URL by which programs on this machine reach the host: with a name of its certificate where it ends TLS. */
function urlOf({ bind, tls, names }: Listening, port: number): string {
  const isEverywhere = bind === '0.0.0.0' || bind === '::';
  const address = isEverywhere ? '127.0.0.1' : bind.includes(':') ? `[${bind}]` : bind;
  const name = tls && names.find((one) => !one.startsWith('*'));
  return `${tls ? 'https' : 'http'}://${name ?? address}:${port}`;
}

/** The background loops: those that may commit, and those that hand over what was committed. */
type Loops = { readonly committing: readonly Loop[]; readonly following: readonly Loop[] };

/** Stops the loops that commit, and then those that follow them, so that a stopped host has published what it did. */
async function endOf({ committing, following }: Loops): Promise<void> {
  for (const loops of [committing, following]) await Promise.all(loops.map((running) => running.stop()));
}

function startLoops(functions: ReadonlyMap<string, MusterFunction>, local: LocalShell, stream: EventStream): Loops {
  const { shell, storage } = local;
  countsHandled(shell);
  const committing = [every(tidyEveryMs, () => tidy(local), shell)];
  const following: Loop[] = [];
  for (const [name, wired] of Object.entries(wiring.functions)) {
    const fn = functions.get(name)!;
    switch (fn.on) {
      case 'route':
        break;
      case 'queue': {
        const queue = wired.queue as WiredQueue;
        committing.push(consume(queue, wiring.queues[queue], wired.timeoutSeconds, fn, shell, storage.queue));
        break;
      }
      case 'feed':
        following.push(consumeFeed(name, fn, shell, storage.feed, stream.tell));
        break;
      case 'schedule':
        committing.push(every(periodOf(wired, shell), () => fn.handle('message', shell).then(() => noteHandled(shell, name, 1)), shell));
        break;
      default:
        unreachable(fn);
    }
  }
  return { committing, following };
}

/** How often a function runs; the sweep as often as the host's options say. */
const periodOf = ({ queue, everySeconds }: FunctionWiring<WiredQueue>, { settings }: Shell): number =>
  queue === undefined && everySeconds ? everySeconds.embedded * 1_000 : settings.sweepPeriodMs;

async function tidy({ shell, storage }: LocalShell): Promise<void> {
  await storage.table.removeExpired(shell.now(), 1_000);
  await storage.feed.trim(plusMs(shell.now(), -feedForMs) as EpochMs);
}
