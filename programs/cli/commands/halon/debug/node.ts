import type { NodeDebug } from '../../../../../lib/assembly/debug/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import { node as aNode } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { dated } from '../../../output/moments.ts';

/** `halon debug node`: what a node was assigned, and what it has reported. */
export const node: Verb = (noun, cli) => {
  const command = noun
    .command('node')
    .argument('<node>', 'the node', aNode)
    .description(
      'Show what Muster has assigned to a node, and what the node has reported: the revision of its assignment, its processes and services, and its last heartbeat. On the host, muster-agent doctor and muster-agent status show its version, its clock and its unsent reports',
    )
    .action(async (id: ReturnType<typeof aNode>) => {
      const { body } = await cli.call(contract.debugNode, { params: { id } });
      cli.show(body, () => nodeText(cli, body));
    });
  examples(command, cli.terminal.name, ['halon debug node node1.acme.org']);
};

function nodeText(cli: Cli, { told: assigned, said: reported, ...node }: NodeDebug): string {
  const now = cli.terminal.now();
  const { table } = reported;
  const head = cli.details({
    node: `${node.host} (${node.node})`,
    zone: node.zone,
    status: `${node.status}: ${node.because}`,
    incarnation: `${node.incarnation}, generation ${node.generation}`,
    'assigned revision': String(assigned.revision),
    station: assigned.station && `looks for ${assigned.station.pings} nodes`,
    watches: assigned.watches?.map(({ host, supervisor }) => `${host}${supervisor ? ' (its supervisor)' : ''}`).join(', ') || undefined,
    'orders to release': assigned.releases > 0 ? String(assigned.releases) : undefined,
    'news of metadata': assigned.news > 0 ? String(assigned.news) : undefined,
    traces: assigned.traces.join(', ') || undefined,
    boot: reported.boot,
    'last heartbeat': reported.heardAt && `number ${reported.seq}, ${dated(reported.heardAt, now)}`,
    'what runs there': table && (table.asked ? 'requested from the node' : 'as last reported'),
  });
  const says = new Map(reported.services.map((one) => [one.service, one]));
  const services = assigned.services.map(({ service, goal, instance, asks }) => {
    const one = says.get(service);
    const asked = asks > 0 ? `, asked ${asks}` : '';
    return `  service ${service} ${instance}: to ${goal}${one ? `, ${one.state}${one.instance === instance ? '' : ` as ${one.instance}`}` : ''}${asked}\n`;
  });
  const processes = assigned.processes.map(({ process, goal, start }) => `  process ${process}: to ${goal}, start ${start}\n`);
  return `${head}${services.join('')}${processes.join('')}`;
}
