import type { Expansion } from '../../../lib/facts/expand/expand.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { checkFile } from './checking.ts';
import { counted, findingsAsJson, shownFindings } from './reading.ts';

/** `facts validate`: everything that is wrong with a facts file. It calls no deployment. */
export const validate: Verb = (noun, cli) => {
  const command = noun
    .command('validate')
    .description('Everything that is wrong with a facts file, each with its place. Nothing is called')
    .argument('<file>', 'the facts, YAML or JSON; - reads standard input')
    .action((file: string) => validateFile(cli, file));
  examples(
    command,
    cli.terminal.name,
    ['facts validate /etc/halon/halon_facts.yaml'],
    ['facts validate --json - < facts.yaml', 'for programs'],
  );
};

async function validateFile(cli: Cli, file: string): Promise<void> {
  const checked = await checkFile(cli, file);
  if (checked.ok) {
    const count = countsOf(checked.expansion);
    cli.show({ valid: true, ...count, defects: [] }, () => `valid: ${shownCounts(count)}\n`);
    return;
  }
  const { findings } = checked;
  const [defects, text] = await Promise.all([findingsAsJson(findings), shownFindings(findings)]);
  cli.show({ valid: false, defects }, () => text);
  throw new Failure(exitCodes.failed, counted(findings.length, 'defect'));
}

/** How much there is in a storage cluster. */
export type Counts = { readonly [of in 'nodes' | 'processes' | 'services' | 'devices' | 'pools' | 'profiles']: number };

/** How much facts expand to. */
export function countsOf({ nodes, pools, profiles }: Expansion): Counts {
  const processes = nodes.flatMap((node) => node.processes);
  const services = processes.flatMap((process) => process.services);
  const devices = services.reduce((sum, service) => sum + service.devices.length, 0);
  return {
    nodes: nodes.length,
    processes: processes.length,
    services: services.length,
    devices,
    pools: pools.length,
    profiles: profiles.length,
  };
}

/** The same in words. */
export const shownCounts = ({ nodes, processes, services, devices, pools, profiles }: Counts): string =>
  [
    counted(nodes, 'node'),
    counted(processes, 'process', 'processes'),
    counted(services, 'service'),
    counted(devices, 'device'),
    counted(pools, 'pool'),
    counted(profiles, 'profile'),
  ].join(', ');
