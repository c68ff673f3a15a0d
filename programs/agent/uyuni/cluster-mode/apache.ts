import { existsSync } from 'node:fs';
import { minuteMs } from '../../../../lib/core/time.ts';
import { outputOfProgram } from '../../../../lib/machine/command.ts';

/** The Apache of this host, as far as a change of its configuration needs it: both give why it did not work. */
export type Apache = {
  /** Checks the whole configuration; undefined: it is sound. */
  configtest(): Promise<string | undefined>;
  /** Has it read its configuration anew, without ending what is under way; undefined: done. */
  reload(): Promise<string | undefined>;
};

/** The commands that control Apache; the first that this host has is its own. */
const controls = ['/usr/sbin/apachectl', '/usr/sbin/apache2ctl', '/usr/sbin/httpd'];

/** Where distributions have the modules of Apache. */
const moduleFolders = ['/usr/lib64/apache2', '/usr/lib/apache2/modules', '/usr/lib64/httpd/modules', '/etc/httpd/modules'];

/** The folder with the modules of this host’s Apache; undefined where it is elsewhere. */
export const modulesHere = (): string | undefined => moduleFolders.find((folder) => existsSync(`${folder}/mod_substitute.so`));

/** The command that controls Apache on this host; undefined where there is none. */
export const controlHere = (): string | undefined => controls.find((program) => existsSync(program));

/** The Apache that these commands control; each is a line for the shell. */
export function apacheBy(control: string, reload: string | undefined): Apache {
  return { configtest: () => faultOf(`${control} configtest`), reload: () => faultOf(reload ?? `${control} graceful`) };
}

/** Why a command failed, with the last of what it printed; undefined if it succeeded. */
async function faultOf(line: string): Promise<string | undefined> {
  const { ended, text, errors } = await outputOfProgram('/bin/sh', ['-c', line], { limitMs: minuteMs });
  if (ended.ok) return undefined;
  const printed = `${text}\n${errors}`.trim().split('\n').slice(-6).join(' ');
  return `${line}: ${ended.why}${printed === '' ? '' : ` (${printed})`}`;
}
