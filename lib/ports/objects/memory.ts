import type { EpochMs } from '../../core/time.ts';
import { admittedName, type Objects } from './objects.ts';

/** What {@link memoryObjects} keeps of an object. */
export type KeptObject = { readonly bytes: Uint8Array; readonly tag: string; readonly at: EpochMs };

/** Objects in memory, for tests; `kept` has them by name, so that a test can look at them and damage them. */
export function memoryObjects(now: () => EpochMs, kept: Map<string, KeptObject> = new Map()): Objects {
  let writes = 0;
  const put = (name: string, bytes: Uint8Array): string => {
    writes += 1;
    const tag = `write ${writes}`;
    kept.set(name, { bytes: new Uint8Array(bytes), tag, at: now() });
    return tag;
  };
  return {
    read: async (name) => {
      const found = kept.get(admittedName(name));
      return found && { bytes: new Uint8Array(found.bytes), tag: found.tag };
    },
    write: async (name, bytes) => void put(admittedName(name), bytes),
    replace: async (name, bytes, tag) => (kept.get(admittedName(name))?.tag === tag ? put(name, bytes) : undefined),
    list: async () => [...kept].map(([name, { at }]) => ({ name, at })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    remove: async (name) => void kept.delete(admittedName(name)),
  };
}
