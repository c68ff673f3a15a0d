import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import { replaceFile } from '../../../lib/machine/folder.ts';
import { endGroup } from '../../../lib/machine/group.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { Lives } from '../processes/born.ts';
import { Children, type Environment, forChildren } from '../processes/children.ts';
import type { Began } from '../processes/runner.ts';
import type { RunsAs, User } from '../runs-as.ts';
import type { Life } from '../supervised/thing.ts';
import { askCommand } from './ask.ts';
import { ocf, type Result, type Run } from './command.ts';
import { endLeftGroup } from './group.ts';
import { Inside, type InsideOptions } from './inside.ts';
import { type Program, programOf } from './program.ts';
import type { Rooms } from './rooms.ts';
import type { Runner } from './runner.ts';
import type { Look, Seen } from './seen.ts';
import type { Held } from './state.ts';

/** The options of a runner of services on this host. */
export type HostRunnerOptions = {
  /** The folder for their configuration, their output and their pids. */
  readonly folder: string;
  /** The socket on which the agent listens for them. */
  readonly socket: string;
  /** The environment of the agent; variables for the agent alone do not go to a service. */
  readonly environment: Environment;
  readonly lives: Lives;
  readonly world: World;
  /** Finds the user for the services of a type. */
  readonly runsAs: RunsAs;
  readonly rooms: Rooms;
  readonly processes: InsideOptions['processes'];
  readonly supervisor: InsideOptions['supervisor'];
  readonly site: InsideOptions['site'];
};

/**
 * Runs services as children in process groups of their own, which outlive the agent. The agent itself does the work of
 * services without a process.
 */
export class HostRunner implements Runner {
  readonly #options: HostRunnerOptions;
  readonly #children: Children;
  readonly #inside: Inside;
  #ended: () => void = () => {};

  /** A runner with no children yet; it finds those of an earlier agent by their lives. */
  constructor(options: HostRunnerOptions) {
    const { folder, environment, lives, processes, supervisor, site, world } = options;
    this.#options = options;
    this.#children = new Children({ folder, environment, lives });
    this.#inside = new Inside({ folder, processes, supervisor, site, now: world.now });
    this.#children.onEnd((pid) => {
      endGroup(pid);
      this.#ended();
    });
  }

  onEnd(then: () => void): void {
    this.#ended = then;
  }

  async start(service: DesiredService): Promise<Began> {
    const program = programOf(service);
    if (program.is === 'unknown') return { ok: false, why: program.why };
    try {
      if (program.is === 'child') return await this.#begin(service, program);
      this.#configure(service);
    } catch (error) {
      return { ok: false, why: inWords(error) };
    }
    const ran = this.#inside.start(service);
    return ran.ok ? { ok: true, life: this.#options.lives.ofUnit(service.instance) } : ran;
  }

  /** Starts a child only as a user that the host's own configuration allows. */
  async #begin(service: DesiredService, { command, variables }: Extract<Program, { is: 'child' }>): Promise<Began> {
    const as = this.#options.runsAs(service.service);
    if (!as.ok) return { ...as, refused: true };
    const { service: type, configuration } = service;
    if (as.user) await this.#options.rooms.open(type, as.user, configuration);
    else this.#configure(service);
    return this.#children.start(type, command, { ...variables, ...this.#variables(service, as.user) }, as.user);
  }

  async signal(held: Held, signal: 'SIGTERM' | 'SIGKILL'): Promise<Ran> {
    const life = held.inside ? undefined : this.#lifeOf(held);
    return life ? this.#children.signal(life, signal) : { ok: true };
  }

  async look(held: readonly Held[]): Promise<Look> {
    return new Map(held.map((one): [ServiceTypeName, Seen] => [one.service, this.#found(one)]));
  }

  async command(held: Held, service: DesiredService, run: Run): Promise<Result> {
    if (held.inside) return this.#insideSays(service, run);
    const command = commandOf(service, run);
    if (!command) return uncommanded(held, run);
    const { environment, world, runsAs } = this.#options;
    const as = runsAs(service.service);
    if (!as.ok) return { exit: ocf.permission, says: as.why };
    return askCommand(command, {
      environment: { ...forChildren(environment, as.user), ...this.#variables(service, as.user) },
      user: as.user,
      input: run.data ?? '',
      limitMs: service.askMs,
      after: world.after,
    });
  }

  /** Gives a fault, such as of a full disk, as a result, so that the agent does not end. */
  async #insideSays(service: DesiredService, run: Run): Promise<Result> {
    try {
      return await this.#inside.command(service, run);
    } catch (error) {
      return { exit: ocf.generic, says: inWords(error) };
    }
  }

  forget({ service }: Held): void {
    rmSync(this.#configuration(service), { force: true });
    this.#options.rooms.close(service);
  }

  #found(held: Held): Seen {
    const { lives } = this.#options;
    if (held.inside) {
      if (held.is === 'stopping') return { is: 'absent', exit: 0 };
      return held.life && lives.isOn(held.life) ? { is: 'running', life: held.life } : { is: 'absent' };
    }
    const life = this.#lifeOf(held);
    if (!life) return { is: 'absent' };
    const fate = this.#children.fateOf(life);
    if (fate.runs) return { is: 'running', life };
    if (fate.exit !== undefined) return { is: 'absent', exit: fate.exit };
    // A child of an earlier agent: no agent saw its end, and processes that it started may still run.
    endLeftGroup(life.pid, { MUSTER_SERVICE: held.service, MUSTER_SERVICE_INSTANCE: held.instance });
    return { is: 'absent' };
  }

  /** The life on record, or that of a child that started just before its agent died. */
  #lifeOf({ service, life }: Held): Life | undefined {
    return life ?? this.#children.notedLife(service);
  }

  /** Writes the configuration for the agent and its services only, because it may hold a secret. */
  #configure({ service, configuration }: DesiredService): void {
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
    replaceFile(this.#options.folder, `${service}.json`, configuration, 0o600);
  }

  #configuration = (service: ServiceTypeName): string => join(this.#options.folder, `${service}.json`);

  #variables({ service, name, instance }: DesiredService, user: User | undefined): Environment {
    const room = user && this.#options.rooms.of(service);
    return {
      MUSTER_SERVICE: service,
      MUSTER_SERVICE_NAME: name,
      MUSTER_SERVICE_INSTANCE: instance,
      MUSTER_SERVICE_CONFIGURATION: room?.configuration ?? this.#configuration(service),
      MUSTER_SERVICE_SOCKET: room?.socket ?? this.#options.socket,
    };
  }
}

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The command that answers a question; undefined where the type has none for it. */
function commandOf(service: DesiredService, { what, message }: Run): readonly string[] | undefined {
  if (what === 'message') return service.messages.find(({ name }) => name === message)?.command;
  if (what === 'status') return service.status;
  const program = programOf(service);
  return program.is === 'child' ? program.check : undefined;
}

/** The answer for a service whose type has no command for the question: the agent sees by itself that it runs. */
function uncommanded({ is, since, life }: Held, { what, message }: Run): Result {
  if (what === 'message') return { exit: ocf.unimplemented, says: `it does not understand ${message}` };
  const pid = life ? `, pid ${life.pid}` : '';
  return { exit: 0, says: `${is} since ${new Date(since).toISOString()}${pid}` };
}
