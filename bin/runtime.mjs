// Finds the Node that the project brings: the package of this platform, which package-lock.json locks. Plain JavaScript
// for Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Node that runs our TypeScript as it is. */
export const nodeMajor = 24;

const bin = dirname(fileURLToPath(import.meta.url));
const platform = `${process.platform}-${process.arch}`;
const locked = JSON.parse(readFileSync(join(bin, 'runtime.json'), 'utf8'))[platform];

/**
 * The path of the Node that the project brings; undefined where it is not installed, or where npm has none for this
 * platform.
 */
export function lockedNode() {
  if (locked === undefined) return undefined;
  const path = join(dirname(bin), 'node_modules', locked.package, locked.file);
  return existsSync(path) ? path : undefined;
}

/** Whether no Node here can run the project, although npm has one for this platform. */
export const isNodeMissing = () => locked !== undefined && !isNewEnough() && lockedNode() === undefined;

/** The Node that runs the project: the locked one, else the one that runs this. Ends the process where neither can. */
export function node() {
  const path = lockedNode() ?? (isNewEnough() ? process.execPath : undefined);
  if (path !== undefined) return path;
  const why =
    locked === undefined
      ? `npm has no Node for ${platform}: install Node ${nodeMajor} or newer`
      : `npm did not install ${locked.package}, because its download failed or is not the locked one: run npm ci again`;
  process.stderr.write(`muster: needs Node ${nodeMajor} or newer, and this is ${process.version}: ${why}\n`);
  process.exit(1);
}

const isNewEnough = () => Number(process.versions.node.split('.')[0]) >= nodeMajor;
