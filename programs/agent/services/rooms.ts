import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceTypeName } from '../../../lib/core/ids.ts';
import { Unusable } from '../../../lib/machine/command-line.ts';
import { replaceFile } from '../../../lib/machine/folder.ts';
import type { Ear } from '../processes/launchers.ts';
import type { User } from '../runs-as.ts';

/** The paths of a service's configuration, and of the socket of its agent. */
export type Room = { readonly configuration: string; readonly socket: string };

/** The folder of rooms: it does not survive a boot, as services do not. */
export const roomsDefault = '/run/muster-agent';

type Options = {
  readonly folder: string;
  /** Listens for a service on a socket; gives a function that stops. */
  hear(ear: Ear): Promise<() => void>;
  say(line: string): void;
};

/**
 * Folders for services of other users, which may not enter the agent's folder. Each service has one, which only the
 * agent changes, with a configuration and a socket that belong to the service's user.
 */
export class Rooms {
  readonly #options: Options;
  readonly #ears = new Map<ServiceTypeName, () => void>();

  /** No room is open yet. */
  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Makes the room of a service, with its configuration, and listens for it. Throws where that is unsafe or impossible.
   */
  async open(service: ServiceTypeName, { uid, gid }: User, configuration: string): Promise<Room> {
    const folder = join(this.#options.folder, service);
    for (const path of [join(this.#options.folder, '..'), this.#options.folder, folder]) makeOwn(path);
    replaceFile(folder, 'configuration.json', configuration, 0o600);
    chownSync(join(folder, 'configuration.json'), uid, gid);
    await this.#hear(service, uid);
    return this.of(service);
  }

  /** The paths in its room. */
  of(service: ServiceTypeName): Room {
    const folder = join(this.#options.folder, service);
    return { configuration: join(folder, 'configuration.json'), socket: join(folder, 'agent.sock') };
  }

  /** Listens for the services that an earlier agent left running; gives a function that stops listening for all. */
  reopen(): () => void {
    for (const name of namesIn(this.#options.folder)) {
      const service = ServiceTypeName.safeParse(name).data;
      const uid = service && statSync(this.of(service).configuration, { throwIfNoEntry: false })?.uid;
      if (service && uid !== undefined)
        this.#hear(service, uid).catch((error: Error) => this.#options.say(`service ${service} cannot report: ${error.message}`));
    }
    return () => {
      for (const stop of this.#ears.values()) stop();
      this.#ears.clear();
    };
  }

  /** Removes the room of a service that no longer belongs to this host. */
  close(service: ServiceTypeName): void {
    this.#ears.get(service)?.();
    this.#ears.delete(service);
    rmSync(join(this.#options.folder, service), { recursive: true, force: true });
  }

  async #hear(service: ServiceTypeName, uid: number): Promise<void> {
    this.#ears.get(service)?.();
    this.#ears.set(service, await this.#options.hear({ path: this.of(service).socket, service, uid }));
  }
}

/**
 * Makes a folder of the agent that other users may pass through. Throws where it belongs to another user, who could
 * then change its contents.
 */
function makeOwn(path: string): void {
  mkdirSync(path, { recursive: true });
  const { uid, mode } = lstatSync(path);
  if (!lstatSync(path).isDirectory() || uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new Unusable(`${path} belongs to another user, or other users may write to it: remove it`);
  chmodSync(path, 0o711);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
