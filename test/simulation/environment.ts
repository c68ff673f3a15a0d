import type { Shell, ShellSettings } from '../../lib/runtime/shell.ts';
import type { Faults } from './faults.ts';
import type { Kernel } from './kernel.ts';
import type { Random } from './random.ts';

/** Which code an environment runs. */
export type Version = 'present' | 'previous';

/** How long one call of a port takes each way, in ms. */
const wireMaxMs = 12;

/**
 * Where one function runs: what a Lambda environment is, or the whole process of the embedded host. It can be killed at
 * any await, after which nothing it waited for ever comes back to it, and frozen, after which everything comes back
 * later. Calls of its that are on the wire when it dies arrive all the same.
 */
export class Environment {
  readonly name: string;
  readonly version: Version;
  readonly caches = new Map<string, unknown>();
  /** What each function that runs here is given. */
  readonly shells = new Map<string, Shell>();
  readonly settings: ShellSettings;
  /** How far its clock is off, in ms. */
  readonly clockOffMs: number;
  readonly random: Random;
  /** Invocations that it is working on. */
  busy = 0;
  dead = false;
  /** For this invocation the table and the queues fail, whatever is asked. */
  cursed = false;
  #frozenUntil = 0;
  readonly #secrets: Random;
  #ids = 0;
  readonly #kernel: Kernel;
  readonly #faults: Faults;
  readonly #onDeath = new Set<() => void>();

  constructor(
    { kernel, faults }: { kernel: Kernel; faults: Faults },
    { name, version, settings, clockOffMs }: { name: string; version: Version; settings: ShellSettings; clockOffMs: number },
  ) {
    this.#kernel = kernel;
    this.#faults = faults;
    this.name = name;
    this.version = version;
    this.settings = settings;
    this.clockOffMs = clockOffMs;
    this.random = kernel.random(name);
    this.#secrets = kernel.random(`${name} secrets`);
  }

  newId = (): string => {
    this.#ids += 1;
    return `${this.name}-${this.#ids}`;
  };

  /** Bytes that nobody in the world can guess, from a stream of their own: the same for the same seed. */
  randomBytes = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, () => Math.floor(256 * this.#secrets()));

  /** Ends it: nothing comes back any more, and whoever waits for an invocation hears that it died. */
  kill(): void {
    if (this.dead) return;
    this.dead = true;
    this.#kernel.note(`${this.name} dies`);
    for (const tell of [...this.#onDeath]) tell();
  }

  /** Runs one invocation to its end; rejects with {@link Died} when the environment is killed before. */
  async invoke<T>(work: () => T | Promise<T>): Promise<T> {
    let tell = (): void => undefined;
    const death = new Promise<never>((_resolve, reject) => {
      tell = () => reject(new Died(this.name));
    });
    this.#onDeath.add(tell);
    this.busy += 1;
    try {
      return await Promise.race([work(), death]);
    } finally {
      this.busy -= 1;
      this.#onDeath.delete(tell);
    }
  }

  /**
   * One call of a port: on the wire, carried out there, and back. `does` throws what the port would. The faults of an
   * environment happen here: it dies or freezes between asking and hearing.
   */
  ask<T>(label: string, does: () => Promise<T>): Promise<T> {
    const { random } = this;
    if (this.#faults.hits('crash', 0.02)) this.#kernel.after(random() * 2 * wireMaxMs, `kill ${this.name}`, () => this.kill());
    if (this.#faults.hits('freeze', 0.02)) this.#frozenUntil = this.#kernel.now + this.#faults.span('freeze', 20_000);
    const hangs = this.#faults.hits('time-out', 0.01);
    if (hangs && random() < 0.5) return never();
    // By hand, since most of what happens in a world is this: as an async function it takes three times as many
    // promises.
    return new Promise((resolve, reject) => {
      const back = (tell: () => void): void => {
        if (hangs) return;
        const waitMs = Math.max(random() * wireMaxMs, this.#frozenUntil - this.#kernel.now);
        this.#kernel.after(waitMs, '', () => {
          if (!this.dead) tell();
        });
      };
      this.#kernel.after(1 + random() * wireMaxMs, `${this.name} ${label}`, () => {
        does().then(
          (value) => back(() => resolve(value)),
          (error: unknown) => back(() => reject(error)),
        );
      });
    });
  }

  /** Sleeps, as a shell does. */
  sleep = async (ms: number): Promise<void> => {
    await this.#kernel.wait(Math.max(ms, this.#frozenUntil - this.#kernel.now), `${this.name} sleeps`);
    if (this.dead) await never();
  };
}

/** The environment was killed in the middle. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** What nobody will ever hear of. */
const never = (): Promise<never> => new Promise(() => undefined);
