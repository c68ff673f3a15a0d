import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { folderAt } from '../../../lib/machine/folder.ts';
import { readTable } from '../../../programs/agent/services/disk.ts';
import { program } from '../child.ts';
import { endStarted } from '../leftovers.ts';

const named = (name: string): string => `${name}.demo.muster.test`;
/** The hosts that are named stations, and those that run the services of the site. */
export const stations = ['ts1', 'ts2', 'ts3'].map(named);
export const apps = ['app1', 'app2'].map(named);
export const hosts = [...apps, ...stations];

/** The address of Muster for an agent, the agent's folder, and its watch address. */
export type AgentPlace = { readonly endpoint: string; readonly home: string; readonly watch: string };

/** The command line of an agent. */
export const agentCommand = (host: string, { endpoint, home, watch }: AgentPlace): string[] => [
  program('programs/agent/main.ts'),
  ...['--endpoint', endpoint, '--fqdn', host, '--home', home, '--watch', watch],
  // The user that plays the demo runs its services, too.
  ...['--allow-service', 'built-in,greeter,farewell', '--service-user', userInfo().username],
];

/** Ends the services that an agent has started, once the agent itself has ended. */
export async function endServices(home: string): Promise<void> {
  const begun = existsSync(home) ? (readTable(folderAt(home))?.held ?? []).filter(({ is, inside }) => is !== 'idle' && !inside) : [];
  await endStarted(join(home, 'services'), begun.length);
}
