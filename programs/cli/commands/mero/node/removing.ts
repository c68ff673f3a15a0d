import type { Command } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import type { MeroStatus } from '../../../../../lib/mero/clusters/routes.ts';
import type { Cli } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { storageText } from '../../storage-loss.ts';
import { waitOption } from '../process/arguments.ts';
import { untilNode } from '../process/waiting.ts';

/** Options of verbs that remove hosts. */
export type Removing = {
  readonly node?: string;
  readonly async?: true;
  readonly force?: true;
  readonly dryRun?: true;
  readonly timeout: number;
};

/** Adds what a verb that removes a host takes besides the host. */
export const removing = (command: Command): Command =>
  command
    .option('-a, --async', 'give the order, and do not wait')
    .option('-f, --force', 'even if the cluster loses its liveness')
    .option('-n, --dry-run', 'show what would be removed, and remove nothing')
    .addOption(waitOption());

/** The things to remove: the Mero node of a host, or the host with it. */
export type Removal = { readonly zone: MeroStatus['zone']; readonly node: string; readonly host: boolean };

/** Removes a host of a storage cluster, and waits until it is gone. Throws a {@link Failure} when it is not in time. */
export async function removeNode(cli: Cli, { zone, node, host }: Removal, options: Removing): Promise<void> {
  const asked = { force: options.force === true, dryRun: options.dryRun === true };
  const what = host ? `${node} with all of its processes, and refuse its key from then on` : `all processes of ${node}`;
  if (!asked.dryRun) await cli.confirm(`Remove ${what}?`);
  const { body } = await cli.call(host ? contract.removeHalonNode : contract.removeMeroNode, { params: { zone, node }, body: asked });
  const lines = (): string =>
    [body.because, ...body.gone.map((fid) => `  ${fid}`), ...body.stopping.map((fid) => `  ${fid} stops first`)].join('\n');
  if (asked.dryRun) {
    const { body: preview } = await cli.call(contract.previewStorage, { params: { zone }, query: { host: node } });
    const lost = (): string => (preview.storage ? storageText(preview.storage, host ? preview.stations : undefined, cli) : '');
    return cli.show({ ...body, preview }, () => `${lines()}\n${lost()}`);
  }
  if (options.async) return cli.show(body, () => `${lines()}\n`);
  const ended = body.nodeGone
    ? 'gone'
    : await untilNode(cli, { zone, node, timeoutMs: options.timeout }, (now) => (now ? undefined : 'gone'));
  if (ended === undefined)
    throw new Failure(
      exitCodes.failed,
      `processes of ${node} have not stopped yet; Muster removes it with the last of them`,
      'See their states: mero status',
    );
  cli.show(body, () => `${node} removed.\n`);
}
