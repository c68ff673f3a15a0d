import { Unreachable } from '../../../../lib/api/client.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { type EpochMs, hourMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import type { Change } from '../../../../lib/uyuni/outbox/batch.ts';
import { everySoOften } from '../../every-so-often.ts';
import type { Hooked, MetadataHook } from '../../salt/applies.ts';
import type { SystemsHere } from '../../salt/here.ts';
import { type ServerApi, ServerDown } from '../api/server-api.ts';
import type { ChangeListener } from '../feed.ts';
import { applyDocuments } from './apply.ts';
import { Due } from './due.ts';
import { ReadRefused } from './kinds.ts';
import { AgreedMemory } from './memory.ts';
import type { MusterSide } from './muster-side.ts';
import { Registrations } from './registrations.ts';
import { type Reported, reportSystem } from './report.ts';
import { Turns } from './turns.ts';

/** How often to look whether a system is due. */
const everyMs = secondMs;
/** The pause between two systems: a change of all of them must not keep the server from its own work. */
const pauseMs = secondMs / 10;
/** The wait before Muster is called again that did not answer. */
const againMs = 10 * secondMs;

/** What a keeper of metadata works with; `node` is the name of this node. */
export type MetadataKeeperOptions = {
  readonly folder: Folder;
  readonly server: ServerApi;
  readonly node: string;
  readonly world: World;
  say(line: string): void;
};

/**
 * Keeps the metadata of client systems the same on a Uyuni server and in Muster: what Muster has is applied here, and
 * what is changed here is reported. One system at a time is read or written, so that nobody reads one half-applied.
 */
export class MetadataKeeper implements ChangeListener {
  readonly #options: MetadataKeeperOptions;
  readonly #memory: AgreedMemory;
  readonly #due: Due;
  readonly #registrations: Registrations;
  readonly #turns = new Turns();
  #isStopped = false;
  #notBefore: EpochMs | undefined;
  #forgotAt: EpochMs | undefined;
  /** What was logged last of each system that cannot be reported. */
  readonly #troubles = new Map<string, string>();

  constructor(options: MetadataKeeperOptions) {
    const { folder, server, world } = options;
    this.#options = options;
    this.#memory = new AgreedMemory(folder);
    this.#due = new Due(folder);
    this.#registrations = new Registrations(server, world.now);
  }

  /** Takes in what has changed on the server. It is on disk when this returns. */
  changed(changes: readonly Change[]): void {
    this.#due.changed(changes);
  }

  /** Nothing that was agreed on holds for the state that the server has now: Muster's is applied where it differs. */
  restored(): void {
    this.#memory.doubt();
  }

  /** Applies the documents of a client system to the server, in place of a command of the operator. */
  apply: MetadataHook = ({ fingerprint: fp, minion, metadata }) =>
    this.#turns.take(async (): Promise<Hooked> => {
      const { server, node } = this.#options;
      try {
        const found = await this.#registrations.of(minion);
        if (!found) return { ok: false, why: 'the server has not registered it yet' };
        const failed = await applyDocuments({ ...found, fp, metadata }, { server, memory: this.#memory, node });
        // What its registration has given it beyond that is reported.
        this.#due.add(minion);
        return failed.length === 0 ? { ok: true } : { ok: false, why: failed.map(printable).join('; ') };
      } catch (error) {
        if (error instanceof ServerDown) return { ok: false, why: error.message, isDown: true };
        // A fault of ours must not end the agent, which renews the lease of the node.
        return { ok: false, why: printable(error instanceof ReadRefused ? error.message : String(error)) };
      }
    });

  /** Reports what changes, beside the agent, until it is stopped. */
  start(here: SystemsHere, muster: MusterSide): { stop(): void } {
    this.#isStopped = false;
    const running = everySoOften(everyMs, () => this.pass(here, muster), this.#options.world);
    return {
      stop: () => {
        running.stop();
        this.#isStopped = true;
        this.#due.write(this.#options.world.now(), true);
      },
    };
  }

  /** Reports one system after another, until none is due, or the server or Muster is away. */
  async pass(here: SystemsHere, muster: MusterSide): Promise<void> {
    const { world } = this.#options;
    const minions = here.minions();
    if (!minions || (this.#notBefore !== undefined && world.now() < this.#notBefore)) return;
    this.#notBefore = undefined;
    this.#due.expand(minions);
    this.#forget(here);
    for (;;) {
      const minion = this.#isStopped ? undefined : this.#due.next(world.now());
      if (minion === undefined || !(await this.#report(minion, here, muster))) break;
      this.#due.write(world.now());
      await new Promise<void>((resolve) => void world.after(pauseMs, resolve));
    }
    this.#due.write(world.now());
  }

  /** Forgets, once an hour, what was agreed on with systems that are gone. */
  #forget(here: SystemsHere): void {
    const now = this.#options.world.now();
    if (this.#forgotAt !== undefined && now - this.#forgotAt < hourMs) return;
    this.#forgotAt = now;
    this.#memory.forget((fp) => here.has(fp));
  }

  /** Whether the next one can be reported. */
  async #report(minion: string, here: SystemsHere, muster: MusterSide): Promise<boolean> {
    const { world } = this.#options;
    try {
      const reported = await this.#turns.take(() => this.#reportOne(minion, here, muster));
      this.#log(minion, (reported?.refused ?? []).join('; '));
      if (reported === undefined || reported.is === 'done') this.#due.done(minion);
      else this.#due.delay(minion, world.now());
      return true;
    } catch (error) {
      if (error instanceof ServerDown || error instanceof Unreachable) {
        // Each of them is logged by what calls it.
        this.#due.restore(minion);
        this.#notBefore = plusMs(world.now(), againMs);
        return false;
      }
      // As above.
      this.#log(minion, error instanceof ReadRefused ? error.message : String(error));
      this.#due.delay(minion, world.now());
      return true;
    }
  }

  async #reportOne(minion: string, here: SystemsHere, muster: MusterSide): Promise<Reported | undefined> {
    const { server, node } = this.#options;
    const system = here.find(minion);
    const found = system && (await this.#registrations.of(minion));
    // A system that is not here is another node's, and one that was deleted keeps what Muster has.
    if (!found) return undefined;
    const reported = await reportSystem({ ...system, ...found }, { server, muster, memory: this.#memory, node });
    if (reported.is === 'apply-again') here.applyAgain(system.fp);
    else if (reported.revision !== undefined) here.reported(system.fp, reported.revision);
    return reported;
  }

  /** Logs why a system cannot be reported, once. */
  #log(minion: string, why: string): void {
    if (why === '') this.#troubles.delete(minion);
    else if (this.#troubles.get(minion) !== why) {
      this.#troubles.set(minion, why);
      this.#options.say(`the metadata of ${minion} cannot be reported: ${printable(why)}`);
    }
  }
}
