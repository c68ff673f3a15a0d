import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ZoneName } from '../../../lib/core/ids.ts';
import { folderAt } from '../../../lib/machine/folder.ts';
import { readTable } from '../../../programs/agent/processes/disk.ts';
import { program } from '../child.ts';
import { endStarted } from '../leftovers.ts';

/** The zone of the demo's storage cluster, and its hosts. */
export const zone = ZoneName.parse('tier1');
export const hosts = ['ssu1', 'ssu2', 'client1'].map((name) => `${name}.demo.muster.test`);
/** The host that clients run on. */
export const clientHost = hosts[2]!;
/** The program that stands for each process. */
export const aProcess = program('tools/demo/storage/a-process.ts');

/** The address of Muster for an agent, the agent's folder, and its watch port. */
export type AgentPlace = { readonly endpoint: string; readonly home: string; readonly port: number };

/** The command line of an agent: its processes are children that report when they are ready. */
export function agentCommand(host: string, { endpoint, home, port }: AgentPlace): string[] {
  const command = `${process.execPath} ${aProcess}`;
  return [
    program('programs/agent/main.ts'),
    ...['--endpoint', endpoint, '--fqdn', host, '--kind', 'storage', '--zone', zone],
    ...['--service-user', userInfo().username],
    ...['--home', home, '--watch', `127.0.0.1:${port}`, '--sysconfig', join(home, 'sysconfig')],
    ...['--processes', 'child', '--ready-line', 'ready'],
    ...['m0d', 'm0t1fs', 's3server'].flatMap((prefix) => ['--run', `${prefix}=${command}`]),
  ];
}

/** Ends the processes that an agent has started and that still run, once the agent itself has ended. */
export async function endProcesses(home: string): Promise<void> {
  const begun = existsSync(home) ? (readTable(folderAt(home))?.held ?? []).filter(({ is, unmanaged }) => is !== 'idle' && !unmanaged) : [];
  await endStarted(join(home, 'processes'), begun.length);
}
