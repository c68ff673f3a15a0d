import { contract } from '../../../../../lib/contract.ts';
import type { MeroStatus } from '../../../../../lib/mero/clusters/routes.ts';
import type { Cli } from '../../../cli.ts';
import { counted } from '../../facts/reading.ts';
import { deliver } from './configurations.ts';

/** The processes to add, and the place of their configurations. */
export type Adding = {
  readonly zone: MeroStatus['zone'];
  readonly node: string;
  readonly roles: readonly string[];
  readonly set?: Readonly<Record<string, string | number>>;
  readonly output?: string;
  readonly dryRun?: true;
};

/** Adds the processes of roles to a host, and prints or writes their configurations. */
export async function addProcesses(cli: Cli, { zone, node, roles, set = {}, output, dryRun }: Adding): Promise<void> {
  const sent = { node, roles: [...roles], set: { ...set }, ...(dryRun && { dryRun }) };
  const { body } = await cli.call(contract.addMeroProcesses, { params: { zone }, body: sent });
  deliver(cli, body, body.processes, dryRun ? undefined : output);
  const what = counted(body.processes.length, 'process', 'processes');
  const where = `${body.node.host}${body.node.isNew ? `, which ${dryRun ? 'would become' : 'has become'} Mero node ${body.node.fid}` : ''}`;
  cli.say(dryRun ? `${what} would be added on ${where}` : `${what} added on ${where}`);
}
