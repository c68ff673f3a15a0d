import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Later } from '../../core/errors.ts';
import { EpochMs } from '../../core/time.ts';
import { draftEnd, writeWhole } from '../storage/write-whole.ts';
import { admittedName, type ListedObject, nameForm, type Objects, plain, type StoredObject } from './objects.ts';

/** The folder of the objects in a state folder. It can be removed at any time. */
export const objectsIn = (home: string): string => join(home, 'objects');

/**
 * Objects in a folder that one process has for itself, each in a file that only its owner may read. A file is written
 * under another name, brought to the disk, and only then renamed. The folder is made with the first write, which also
 * removes what writes of an earlier process have left half done.
 */
export function folderObjects(folder: string): Objects {
  let ready: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, so that nothing is written between a look at a tag and the write that goes by it. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  const put = async (name: string, bytes: Uint8Array): Promise<string> => {
    ready ??= prepared(folder).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    await ready;
    await writeWhole(join(folder, name), (file) => file.writeFile(bytes));
    return tagOf(bytes);
  };
  const read = async (name: string): Promise<StoredObject | undefined> => {
    const bytes = await unlessAbsent(readFile(join(folder, name)));
    return bytes && { bytes: plain(bytes), tag: tagOf(bytes) };
  };
  const list = async (): Promise<ListedObject[]> => {
    const names = (await unlessAbsent(readdir(folder))) ?? [];
    const listed = await Promise.all(names.filter((name) => nameForm.test(name)).map((name) => listedIn(folder, name)));
    return listed.flatMap((one) => one ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    read: async (name) => asked(`read ${name}`, read(admittedName(name))),
    write: async (name, bytes) => {
      const own = admittedName(name);
      await asked(
        `write ${name}`,
        inTurn(() => put(own, bytes)),
      );
    },
    replace: async (name, bytes, tag) => {
      const own = admittedName(name);
      return asked(
        `replace ${name}`,
        inTurn(async () => ((await read(own))?.tag === tag ? put(own, bytes) : undefined)),
      );
    },
    list: () => asked('list objects', list()),
    remove: async (name) => {
      const path = join(folder, admittedName(name));
      await asked(
        `remove ${name}`,
        inTurn(() => rm(path, { force: true })),
      );
    },
  };
}

/** As the file system answers. Throws Later when it refuses: a disk may be full for a while. */
async function asked<T>(operation: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new Later('objects.failed', `${operation}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const tagOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');

async function prepared(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const drafts = (await readdir(folder)).filter((name) => name.endsWith(draftEnd));
  for (const draft of drafts) await rm(join(folder, draft), { force: true });
}

async function listedIn(folder: string, name: string): Promise<ListedObject | undefined> {
  const stats = await unlessAbsent(stat(join(folder, name)));
  return stats && { name, at: EpochMs.parse(Math.floor(stats.mtimeMs)) };
}

/** What a call of the file system gives; undefined if there is no such file or folder. */
async function unlessAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
