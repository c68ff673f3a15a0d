import type { ExpandedNode, Expansion } from '../../../../lib/mero/facts/expand/expand.ts';
import type { ExpandedProcess } from '../../../../lib/mero/facts/expand/processes.ts';
import type { ProcessType } from '../../../../lib/mero/facts/process.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { checkFile } from './checking.ts';
import { counted, findingsText } from './reading.ts';
import { countsOf, countsText } from './validate.ts';

/** `facts expand`: shows what would be loaded. It calls no deployment. */
export const expand: Verb = (noun, cli) => {
  const command = noun
    .command('expand')
    .description('Show what a facts file would make of a new cluster: nodes, processes, services and devices, with fids and endpoints')
    .argument('<file>', 'the facts, YAML or JSON; - reads standard input')
    .action((file: string) => expandFile(cli, file));
  examples(command, cli.terminal.name, ['facts expand facts.yaml'], ['facts expand facts.yaml --json', 'with every device']);
};

async function expandFile(cli: Cli, file: string): Promise<void> {
  const checked = await checkFile(cli, file);
  if (checked.ok) {
    cli.show(checked.expansion, () => expansionText(checked.expansion, cli));
    return;
  }
  cli.say((await findingsText(checked.findings)).trimEnd());
  throw new Failure(exitCodes.failed, `${counted(checked.findings.length, 'defect')}: nothing is expanded`);
}

function expansionText(expansion: Expansion, cli: Cli): string {
  const { nodes, pools, profiles } = expansion;
  const groups = [
    { name: 'pool', those: pools.map(({ fid, id, devices }) => ({ fid, id, has: counted(devices.length, 'device') })) },
    { name: 'profile', those: profiles.map(({ fid, id, pools }) => ({ fid, id, has: counted(pools.length, 'pool') })) },
  ];
  const rest = groups.flatMap(({ name, those }) => those.map(({ fid, id, has }) => printable(`${name} ${id}  ${fid}  ${has}`)));
  return `${nodes.map((node) => nodeText(node, cli)).join('\n')}\n${[...rest, countsText(countsOf(expansion))].join('\n')}\n`;
}

const nodeText = ({ fqdn, fid, processes }: ExpandedNode, cli: Cli): string =>
  `${printable(`${fqdn}  ${fid}`)}\n${
    processes.length === 0
      ? 'no processes\n'
      : cli.table(processes, [
          { title: 'PROCESS', of: (process) => process.fid },
          { title: 'ENDPOINT', of: ({ endpoint }) => endpoint },
          { title: 'TYPE', of: ({ type }) => typeText(type) },
          { title: 'SERVICES', of: servicesOf },
          { title: 'DEVICES', align: 'right', of: devicesOf },
          { title: 'ENVIRONMENT', of: ({ environment }) => environment.map(({ name, value }) => `${name}=${value}`).join(' ') },
        ])
  }`;

const servicesOf = ({ services }: ExpandedProcess): string => services.map(({ type }) => type.replace('CST_', '')).join(' ');
const devicesOf = ({ services }: ExpandedProcess): string => `${services.reduce((sum, { devices }) => sum + devices.length, 0) || ''}`;

function typeText(type: ProcessType): string {
  switch (type.tag) {
    case 'PLHalon':
      return 'halon';
    case 'PLM0d':
      return type.contents === 0 ? 'm0d 0 (confd)' : 'm0d 1';
    case 'PLM0t1fs':
      return 'm0t1fs';
    case 'PLClovis':
      return `${type.contents[0]} (${type.contents[1].toLowerCase()})`;
  }
}
