import type { Folder } from '../../../lib/machine/folder.ts';

/** A machine's folder in memory: it survives what its programs do not. */
export function diskFolder(path: string, files = new Map<string, string>()): Folder & { readonly files: Map<string, string> } {
  return {
    path,
    files,
    read: (name) => files.get(name),
    write: (name, text) => void files.set(name, text),
    remove: (name) => void files.delete(name),
  };
}
