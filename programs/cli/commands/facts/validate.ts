import type { Expansion } from '../../../../lib/mero/facts/expand/expand.ts';
import type { HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { checkFile } from './checking.ts';
import { readHalonRoles } from './halon-roles.ts';
import { counted, findingsAsJson, findingsText, sayRemarks } from './reading.ts';

/** `facts validate`: lists everything that is wrong with a facts file. It calls no deployment. */
export const validate: Verb = (noun, cli) => {
  const command = noun
    .command('validate')
    .description('List every defect of a facts file with its place. The command calls nothing')
    .argument('<file>', 'the facts, YAML or JSON; - reads standard input')
    .option(
      '--halon-roles <file>',
      'the Halon roles that hosts may have, or a role map of Halon; without it the roles that come with Muster',
    )
    .action((file: string, options: Options) => validateFile(cli, file, options));
  examples(
    command,
    cli.terminal.name,
    ['facts validate /etc/halon/halon_facts.yaml'],
    ['facts validate facts.yaml --halon-roles halon_role_mappings', 'with roles of your own'],
    ['facts validate --json - < facts.yaml', 'for programs'],
  );
};

type Options = { readonly halonRoles?: string };

async function validateFile(cli: Cli, file: string, { halonRoles }: Options): Promise<void> {
  if (file === '-' && halonRoles === '-') throw new Failure(exitCodes.usage, 'standard input can be the facts or the roles, not both');
  const checked = await checkFile(cli, file, await halonRolesFor(cli, halonRoles));
  if (checked.ok) {
    const count = countsOf(checked.expansion);
    const remarks = await findingsAsJson(checked.remarks);
    cli.show({ valid: true, ...count, defects: [], remarks }, () => `valid: ${countsText(count)}\n`);
    return sayRemarks(cli, checked.remarks);
  }
  const { findings } = checked;
  const [defects, text] = await Promise.all([findingsAsJson(findings), findingsText(findings)]);
  cli.show({ valid: false, defects }, () => text);
  throw new Failure(exitCodes.failed, counted(findings.length, 'defect'));
}

/**
 * The Halon roles of a file, or those that come with Muster. Throws a {@link Failure} that tells what is wrong with the
 * file.
 */
async function halonRolesFor(cli: Cli, file: string | undefined): Promise<readonly HalonRole[]> {
  if (file === undefined) return (await import('../../../../lib/mero/facts/roles/halon-role.ts')).defaultHalonRoles();
  const read = await readHalonRoles(cli, file);
  if (read.ok) return read.roles;
  cli.say((await findingsText(read.findings)).trimEnd());
  throw new Failure(exitCodes.failed, `${counted(read.findings.length, 'defect')} in the Halon roles: nothing is validated`);
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
export const countsText = ({ nodes, processes, services, devices, pools, profiles }: Counts): string =>
  [
    counted(nodes, 'node'),
    counted(processes, 'process', 'processes'),
    counted(services, 'service'),
    counted(devices, 'device'),
    counted(pools, 'pool'),
    counted(profiles, 'profile'),
  ].join(', ');
