import type { Objects } from './objects.ts';

/** Objects whose adapter is loaded with the first call. */
export function lateObjects(load: () => Promise<Objects>): Objects {
  let loaded: Promise<Objects> | undefined;
  const objects = (): Promise<Objects> => {
    loaded ??= load();
    return loaded;
  };
  return {
    read: async (name) => (await objects()).read(name),
    write: async (name, bytes) => (await objects()).write(name, bytes),
    replace: async (name, bytes, tag) => (await objects()).replace(name, bytes, tag),
    list: async () => (await objects()).list(),
    remove: async (name) => (await objects()).remove(name),
  };
}
