import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type EpochMs, minuteMs } from '../../../lib/core/time.ts';

/** How often to look: a look reads a file for each minion, 20,000 in two seconds, and only hours matter. */
const everyMs = 10 * minuteMs;

/**
 * When a master last heard its minions, by its cache. The master writes data.p of a minion when it starts or sends its
 * grains again. A job has a folder for each minion that answered it, `jobs/<2 hex>/<62 hex>/<minion>`.
 */
export class Activity {
  readonly #cache: string;
  readonly #last = new Map<string, EpochMs>();
  /** Jobs by their folder, with the change time up to which their answers are counted. */
  #jobs = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `root` is `/` on a master. */
  constructor(root: string) {
    this.#cache = join(root, 'var/cache/salt/master');
  }

  /** When the master last heard this minion; undefined when the cache does not show it. */
  last(id: string): EpochMs | undefined {
    return this.#last.get(id);
  }

  /** Notes that a minion was heard at this moment, for instance on the event bus. */
  heard(id: string, at: EpochMs): void {
    this.#last.set(id, Math.max(at, this.#last.get(id) ?? 0) as EpochMs);
  }

  /** Reads the changes of the cache, when the last look is long enough ago. */
  async look(now: EpochMs): Promise<void> {
    if (now - this.#lookedAt < everyMs) return;
    this.#lookedAt = now;
    const minions = join(this.#cache, 'minions');
    for (const id of await entries(minions)) {
      const changedAt = await changed(join(minions, id, 'data.p'));
      if (changedAt !== undefined) this.heard(id, changedAt);
    }
    const jobs = new Map<string, number>();
    for (const shelf of await entries(join(this.#cache, 'jobs')))
      for (const job of await entries(join(this.#cache, 'jobs', shelf))) await this.#lookAt(join(this.#cache, 'jobs', shelf, job), jobs);
    this.#jobs = jobs;
  }

  async #lookAt(path: string, jobs: Map<string, number>): Promise<void> {
    const changedAt = await changed(path);
    if (changedAt === undefined) return;
    jobs.set(path, changedAt);
    if (this.#jobs.get(path) === changedAt) return;
    // The newest answer has changed the folder; a job is over within minutes, so its other answers are hardly older.
    for (const id of await entries(path)) if (!id.startsWith('.')) this.heard(id, changedAt);
  }
}

const entries = async (path: string): Promise<string[]> => (await unlessAbsent(readdir(path))) ?? [];
const changed = async (path: string): Promise<EpochMs | undefined> => {
  const found = await unlessAbsent(stat(path));
  return found && (Math.round(found.mtimeMs) as EpochMs);
};

/** Gives undefined for a path that is gone, because the master cleans its cache meanwhile, or that is not a folder. */
async function unlessAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
