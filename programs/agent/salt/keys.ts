import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '../../../lib/core/ids.ts';
import { type EpochMs, minuteMs, secondMs } from '../../../lib/core/time.ts';
import { minionFingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { type Ran, runCommand } from '../../../lib/machine/command.ts';

/**
 * A minion's key as the master has it: the name of the minion, its fingerprint as `salt-key -f` shows it, and since
 * when the key has its present state.
 */
export type MinionKey = { readonly id: string; readonly fp: Fingerprint; readonly since: EpochMs };

/** A master's keys by their state. `denied`: another key for the name of one that is accepted. */
export type KeyStates = {
  readonly accepted: readonly MinionKey[];
  readonly pending: readonly MinionKey[];
  readonly rejected: readonly MinionKey[];
  readonly denied: readonly MinionKey[];
};

const folders = { accepted: 'minions', pending: 'minions_pre', rejected: 'minions_rejected', denied: 'minions_denied' } as const;

/**
 * Names that are safe as arguments of `salt-key`, which reads them as patterns and lists: a minion with the name `*`
 * would have every key accepted. The agent ignores other names.
 */
const PlainId = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/;

type Known = { readonly stamp: string; readonly key: MinionKey };
type Folder = { readonly changedAt: number; readonly readAt: EpochMs; readonly files: ReadonlyMap<string, Known> };

/**
 * How long to trust a folder in which no name came or went. Salt does not overwrite a key that it has accepted; a
 * change by hand is noticed after this time. Looking at each of 20,000 files takes a core some seconds.
 */
const trustedMs = 15 * minuteMs;
/**
 * A folder that changed this shortly before it was read may have changed again within the same tick of the file
 * system's clock.
 */
const unsureMs = 2 * secondMs;

/**
 * The key folders of a Salt master. Does not read an unchanged file again, and does not look at accepted keys while
 * none comes or goes.
 */
export class KeyFolders {
  readonly #pki: string;
  readonly #folders = new Map<string, Folder>();

  /** `root` is `/` on a master. */
  constructor(root: string) {
    this.#pki = join(root, 'etc/salt/pki/master');
  }

  /** All keys of the master. Throws what the file system throws, except for a missing folder. */
  async read(now: EpochMs): Promise<KeyStates> {
    const states = { accepted: [], pending: [], rejected: [], denied: [] } as Record<keyof KeyStates, MinionKey[]>;
    for (const [state, name] of Object.entries(folders) as [keyof KeyStates, string][]) {
      const known = this.#folders.get(name);
      const folder = await folderNow(join(this.#pki, name), known, now, { trusts: state === 'accepted' });
      this.#folders.set(name, folder);
      for (const { key } of folder.files.values()) states[state].push(key);
    }
    return states;
  }
}

async function folderNow(path: string, known: Folder | undefined, now: EpochMs, { trusts }: { trusts: boolean }): Promise<Folder> {
  const changedAt = (await unlessGone(stat(path)))?.mtimeMs ?? 0;
  const isSame = known?.changedAt === changedAt && changedAt + unsureMs <= known.readAt && now - known.readAt < trustedMs;
  if (trusts && isSame) return known;
  const files = new Map<string, Known>();
  for (const id of await namesIn(path)) {
    const read = await keyIn(join(path, id), id, known?.files.get(id));
    if (read) files.set(id, read);
  }
  return { changedAt, readAt: now, files };
}

async function keyIn(path: string, id: string, known: Known | undefined): Promise<Known | undefined> {
  const found = await unlessGone(stat(path));
  if (!found?.isFile()) return undefined;
  // The change time, since a key that is moved from one folder to another keeps its modification time.
  const stamp = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  if (known?.stamp === stamp) return known;
  const pem = await unlessGone(readFile(path, 'utf8'));
  return pem === undefined ? undefined : { stamp, key: { id, fp: minionFingerprintOf(pem), since: Math.round(found.ctimeMs) as EpochMs } };
}

/** Names in a folder that are safe names of minions; empty where there is no folder. */
const namesIn = async (folder: string): Promise<string[]> =>
  ((await unlessGone(readdir(folder))) ?? []).filter((id) => PlainId.test(id)).sort();

/** Gives undefined for a file that is gone: Salt may move it between a look at the folder and at the file. */
async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Actions on the keys of a master. Removing many at once costs its minions one new key exchange, not one each. */
export type SaltKeys = {
  accept(ids: readonly string[]): Promise<Ran>;
  reject(ids: readonly string[]): Promise<Ran>;
  remove(ids: readonly string[]): Promise<Ran>;
};

/** How long `salt-key` may take: it starts a Python and reads thousands of keys. */
const limitMs = 5 * minuteMs;

/** Keys by `salt-key`, or a command line that knows its options. */
export const saltKey = (command: string): SaltKeys => {
  const run = (...args: readonly string[]) => runCommand(command, ['--yes', ...args], { limitMs });
  return {
    accept: (ids) => run('--include-rejected', `--accept=${ids.join(',')}`),
    reject: (ids) => run('--include-accepted', `--reject=${ids.join(',')}`),
    remove: (ids) => run(`--delete=${ids.join(',')}`),
  };
};
