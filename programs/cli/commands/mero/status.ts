import { contract } from '../../../../lib/contract.ts';
import type { MeroHostStatus, MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { statusText } from './status-text.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

/** `mero status`: what is wanted of a storage cluster, and what its hosts, processes and services do. */
export const status: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('status'))
    .description(
      'Show the disposition of a storage cluster, and the states of its hosts, processes and services, in columns that scripts can read',
    )
    .option('-d, --devices', 'include the devices of services')
    .action(async ({ devices, ...choice }: ZoneChoice & { devices?: true }) => {
      const whole = await wholeStatus(cli, await storageZone(cli, choice), devices === true);
      cli.show(whole, () => statusText(whole, whole.hosts ?? []));
    });
  examples(command, cli.terminal.name, ['mero status'], ['mero status -d --zone lab'], ['mero status --json', 'for programs']);
};

/** A cluster with all of its hosts, page by page; the summary is that of the first page. */
async function wholeStatus(cli: Cli, zone: MeroStatus['zone'], devices: boolean): Promise<MeroStatus> {
  const hosts: MeroHostStatus[] = [];
  let first: MeroStatus | undefined;
  let cursor: string | undefined;
  do {
    const query = { devices: devices ? 'true' : 'false', ...(cursor !== undefined && { cursor }) } as const;
    const { body } = await cli.call(contract.meroStatus, { params: { zone }, query });
    first ??= body;
    hosts.push(...(body.hosts ?? []));
    cursor = body.next;
  } while (cursor !== undefined);
  const { next: _more, ...whole } = first;
  return { ...whole, hosts };
}
