import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Unusable } from '../../../../lib/machine/command-line.ts';
import { type Folder, replaceFile } from '../../../../lib/machine/folder.ts';
import type { Apache } from './apache.ts';
import { apacheFile, isOurs } from './apache-file.ts';
import { type ClusterMode, makeState, readClusterMode, settingsFile, writeClusterMode, writeEditing } from './settings.ts';

/** How installing or removing has ended. `failed`: everything is as it was before, for this reason. */
export type Outcome = { readonly is: 'done' | 'already' } | { readonly is: 'failed'; readonly why: string };

/**
 * Installs cluster mode: the file of Apache, the folder that it looks into, and the record in the agent's folder. If
 * Apache does not accept the file, or does not take it up, everything is put back. Throws {@link Unusable} for a file
 * of that name that is not the agent's, and errors of the file system.
 */
export async function install(folder: Folder, mode: ClusterMode, apache: Apache): Promise<Outcome> {
  const before = readOurs(mode.apacheFile);
  const recorded = readClusterMode(folder);
  const text = apacheFile(mode);
  if (before === text && JSON.stringify(recorded) === JSON.stringify(mode)) return { is: 'already' };
  if (recorded && recorded.apacheFile !== mode.apacheFile)
    throw new Unusable(`cluster mode is installed in ${recorded.apacheFile}: run muster-agent uyuni cluster-mode remove first`);
  const folderWasThere = existsSync(mode.state);
  const back = async (why: string, isLive: boolean): Promise<Outcome> => {
    put(mode.apacheFile, before);
    if (recorded) writeClusterMode(folder, recorded);
    else folder.remove(settingsFile);
    if (!folderWasThere) rmSync(mode.state, { recursive: true, force: true });
    const again = isLive ? await apache.reload() : undefined;
    return { is: 'failed', why: again === undefined ? why : `${why}; Apache has not gone back either: ${again}` };
  };
  put(mode.apacheFile, text);
  makeState(mode);
  const fault = await apache.configtest();
  if (fault !== undefined) return back(fault, false);
  writeClusterMode(folder, mode);
  const notTaken = await apache.reload();
  return notTaken === undefined ? { is: 'done' } : back(notTaken, true);
}

/**
 * Removes cluster mode without a trace: the file of Apache, the folder that it looked into, and the record. If Apache
 * does not take that up, the file is gone all the same, and `failed` says what is left to do. Throws as
 * {@link install} does.
 */
export async function remove(folder: Folder, mode: Pick<ClusterMode, 'apacheFile' | 'state'>, apache: Apache): Promise<Outcome> {
  const isThere = readOurs(mode.apacheFile) !== undefined;
  if (!isThere && readClusterMode(folder) === undefined) return { is: 'already' };
  put(mode.apacheFile, undefined);
  rmSync(mode.state, { recursive: true, force: true });
  writeEditing(folder, undefined);
  folder.remove(settingsFile);
  if (!isThere) return { is: 'done' };
  const fault = (await apache.configtest()) ?? (await apache.reload());
  return fault === undefined ? { is: 'done' } : { is: 'failed', why: fault };
}

/** The text of the agent's file of Apache; undefined where there is none. Throws {@link Unusable} for one of others. */
export function readOurs(path: string): string | undefined {
  if (!existsSync(path)) {
    if (!existsSync(dirname(path)) || !statSync(dirname(path)).isDirectory())
      throw new Unusable(`there is no folder ${dirname(path)}: name that of Apache’s configuration by --conf-dir <dir>`);
    return undefined;
  }
  const text = readFileSync(path, 'utf8');
  if (!isOurs(text))
    throw new Unusable(`${path} was not written by muster-agent: move it away, or name another folder by --conf-dir <dir>`);
  return text;
}

/** Root alone reads the file: it holds a secret. */
function put(path: string, text: string | undefined): void {
  if (text === undefined) rmSync(path, { force: true });
  else replaceFile(dirname(path), basename(path), text, 0o600);
}
