import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceTypeName } from '../../../lib/core/ids.ts';
import { Unusable } from '../../../lib/machine/command-line.ts';
import { replaceFile } from '../../../lib/machine/folder.ts';
import type { Ear } from '../processes/launchers.ts';
import type { User } from '../runs-as.ts';

/** Where a service finds its configuration, and where it calls its agent. */
export type Room = { readonly configuration: string; readonly socket: string };

/** Where rooms are: gone with each boot, as services are. */
export const roomsDefault = '/run/muster-agent';

type Options = {
  readonly folder: string;
  /** Hears a service on a socket; gives how to stop. */
  hear(ear: Ear): Promise<() => void>;
  say(line: string): void;
};

/**
 * What services of other users than the agent's find of theirs, since they may not enter the agent's folder: a folder
 * for each, which the agent alone changes, with a configuration and a socket that belong to the service's user.
 */
export class Rooms {
  readonly #options: Options;
  readonly #ears = new Map<ServiceTypeName, () => void>();

  /** No room is open yet. */
  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Makes the room of a service, with its configuration, and hears it. Throws what keeps that from being safe or
   * possible.
   */
  async open(service: ServiceTypeName, { uid, gid }: User, configuration: string): Promise<Room> {
    const folder = join(this.#options.folder, service);
    for (const path of [join(this.#options.folder, '..'), this.#options.folder, folder]) makeOwn(path);
    replaceFile(folder, 'configuration.json', configuration, 0o600);
    chownSync(join(folder, 'configuration.json'), uid, gid);
    await this.#hear(service, uid);
    return this.of(service);
  }

  /** Where its room is. */
  of(service: ServiceTypeName): Room {
    const folder = join(this.#options.folder, service);
    return { configuration: join(folder, 'configuration.json'), socket: join(folder, 'agent.sock') };
  }

  /** Hears the services that an agent before has left running; gives how to stop hearing any. */
  reopen(): () => void {
    for (const name of namesIn(this.#options.folder)) {
      const service = ServiceTypeName.safeParse(name).data;
      const uid = service && statSync(this.of(service).configuration, { throwIfNoEntry: false })?.uid;
      if (service && uid !== undefined)
        this.#hear(service, uid).catch((error: Error) => this.#options.say(`service ${service} cannot call: ${error.message}`));
    }
    return () => {
      for (const stop of this.#ears.values()) stop();
      this.#ears.clear();
    };
  }

  /** The service is one of this host no more. */
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
 * A folder of the agent's own, through which others may go. Throws where it is somebody else's: what is written there
 * would be theirs to choose.
 */
function makeOwn(path: string): void {
  mkdirSync(path, { recursive: true });
  const { uid, mode } = lstatSync(path);
  if (!lstatSync(path).isDirectory() || uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new Unusable(`${path} belongs to somebody else, or others may write to it: remove it`);
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
