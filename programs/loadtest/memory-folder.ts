import type { Folder } from '../../lib/machine/folder.ts';

/** A folder in memory: what it holds outlives the program that writes it, as a disk outlives a boot. */
export function memoryFolder(path: string): Folder {
  const files = new Map<string, string>();
  return {
    path,
    read: (name) => files.get(name),
    write: (name, text) => void files.set(name, text),
    remove: (name) => void files.delete(name),
  };
}
