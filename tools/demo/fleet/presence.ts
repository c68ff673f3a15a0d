import { renameSync, writeFileSync } from 'node:fs';

/** How long changes are gathered before a file is written: hundreds of client systems move at once. */
const gatherMs = 100;

/**
 * Which client systems are on which node, stored in the files that the nodes' agents read, as a real agent reads the
 * key list of a Salt server.
 */
export type Presence = { enter(fp: string, node: string): void; leave(fp: string): void };

/** Keeps one file a node; a client system is on at most one. */
export function presenceIn(files: Readonly<Record<string, string>>): Presence {
  const on = new Map<string, string>();
  const changed = new Set<string>();
  const write = () => {
    for (const node of changed) {
      const file = files[node];
      if (file === undefined) continue;
      const fps = [...on].filter(([, where]) => where === node).map(([fp]) => `${fp}\n`);
      writeFileSync(`${file}.part`, fps.join(''));
      renameSync(`${file}.part`, file);
    }
    changed.clear();
  };
  const note = (node: string | undefined) => {
    if (node === undefined) return;
    if (changed.size === 0) setTimeout(write, gatherMs);
    changed.add(node);
  };
  return {
    enter: (fp, node) => {
      note(on.get(fp));
      on.set(fp, node);
      note(node);
    },
    leave: (fp) => {
      note(on.get(fp));
      on.delete(fp);
    },
  };
}
