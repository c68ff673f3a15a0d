import { MusterError } from '../../lib/core/errors.ts';
import { DeploymentName } from '../../lib/core/ids.ts';
import type { Folder } from '../../lib/machine/folder.ts';

const nameFile = 'deployment';

/**
 * The name of this deployment: machines sign their calls for it, and events name it as their source. It is the given
 * name, else the one in the state folder, else a new one, so that a call signed for one host is worth nothing at
 * another. It is stored in the folder, which must be ours alone. Throws a MusterError `name.unreadable` for a file that
 * holds no name.
 */
export function deploymentIn(folder: Folder, given: string | undefined, random: (bytes: number) => Uint8Array): string {
  const stored = given === undefined ? nameIn(folder) : folder.read(nameFile)?.trim();
  const name = given ?? stored ?? `local-${Buffer.from(random(4)).toString('hex')}`;
  if (name !== stored) keepName(folder, name);
  return name;
}

/**
 * The name in a state folder; undefined when there is none. Throws a MusterError `name.unreadable` for a file that
 * holds no name.
 */
export function nameIn(folder: Folder): string | undefined {
  const stored = folder.read(nameFile)?.trim();
  if (stored === undefined || DeploymentName.safeParse(stored).success) return stored;
  throw new MusterError('name.unreadable', `${folder.path}/${nameFile} holds no name of a deployment: set MUSTER_DEPLOYMENT`, 'never');
}

/** Stores the name of a deployment in its state folder. */
export const keepName = (folder: Folder, name: string): void => folder.write(nameFile, `${name}\n`);
