import { rmSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationText } from '../../../lib/mero/facts/configuration.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { faultOfEnvironment, faultOfPrefix } from './runner.ts';

/** Readable by the owner and the group only: an administrator's environment may hold a secret. */
export const configurationMode = 0o640;

/** The configuration files of processes, `<prefix>-<fid>` in a folder such as /etc/sysconfig. */
export type ConfigurationFiles = {
  /**
   * Replaces the file of a process atomically. Many may run at the same time: there may be 300 processes. Rejects with
   * what the file system throws, and for a variable that a process may not have.
   */
  write(process: Pick<DesiredProcess, 'prefix' | 'process' | 'environment'>): Promise<void>;
  /** Removes it, if there is one. */
  remove(process: Pick<DesiredProcess, 'prefix' | 'process'>): void;
};

/** The files in this folder, which the first write creates. */
export const configurationFilesIn = (folder: string): ConfigurationFiles => ({
  write: async ({ prefix, process, environment }) => {
    const file = join(folder, nameOf(prefix, process));
    const fault = faultOfEnvironment(environment);
    if (fault !== undefined) throw new Error(fault);
    const part = `${file}.part`;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await rm(part, { force: true });
    const written = await open(part, 'wx', configurationMode);
    try {
      await written.writeFile(configurationText(environment));
      await written.sync();
    } finally {
      await written.close();
    }
    await rename(part, file);
  },
  remove: ({ prefix, process }) => {
    if (faultOfPrefix(prefix) === undefined) rmSync(join(folder, nameOf(prefix, process)), { force: true });
  },
});

/** The name of the file of a process. Throws for a prefix that would lead out of the folder. */
function nameOf(prefix: string, process: string): string {
  const fault = faultOfPrefix(prefix);
  if (fault !== undefined) throw new Error(fault);
  return `${prefix}-${process}`;
}
