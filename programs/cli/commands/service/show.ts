import { contract } from '../../../../lib/contract.ts';
import { ServiceTypeName } from '../../../../lib/core/ids.ts';
import type { ServiceView } from '../../../../lib/services/view-routes.ts';
import { as } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { muster, nodeOrMuster, ruleFacts, ruleOf } from './rules.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from './zone.ts';

/** `service show`: one service of a node. */
export const show: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('show'))
    .argument(
      '<type>',
      'the type of service',
      as(ServiceTypeName, '1 to 40 lower-case letters, digits or hyphens, beginning with a letter'),
    )
    .argument('<node>', 'the node; `muster` has the consumers of Muster itself', nodeOrMuster)
    .description('Show a service on a node: its state, configuration and resources, and the results of its last checks')
    .action(async (type: ServiceTypeName, on: string, options: ZoneChoice) => {
      if (on === muster) {
        const rule = await ruleOf(cli, type);
        return cli.show(rule, () => cli.details(ruleFacts(rule)));
      }
      const params = { zone: await serviceZone(cli, options), type, node: on };
      const { body } = await cli.call(contract.getService, { params });
      cli.show(body, () => cli.details(facts(body)));
    });
  examples(command, cli.terminal.name, ['service show greeter node1.acme.org']);
};

function facts(service: ServiceView): Record<string, string | undefined> {
  const { state, reason, previous, resources, results, healthy } = service;
  const last = results.at(-1);
  return {
    service: service.type,
    name: service.name,
    node: service.host,
    state: [state, ...(reason === undefined ? [] : [reason]), ...(previous === undefined ? [] : [`was ${previous}`])].join(', '),
    since: service.since,
    instance: service.instance,
    pid: service.pid?.toString(),
    address: service.address,
    version: service.version,
    configuration: JSON.stringify(service.configuration),
    'runs with': service.drift && drifted(service.drift),
    resources: resources.map(({ kind, id, hold }) => `${kind} ${id} (${hold})`).join(', ') || undefined,
    needs: service.relations?.map(needed).join('; '),
    health: healthy === undefined ? undefined : healthy ? 'well' : 'not well',
    'last answer': last && `${last.message ?? last.what}: ${last.late ? 'too late' : `exit ${last.exit}`} ${last.says.trim()}`.trim(),
    'next attempt': service.retryAt,
    supervisor: service.supervisor && watched(service.supervisor),
  };
}

const drifted = ({ configuration, since, differs }: NonNullable<ServiceView['drift']>): string =>
  `${JSON.stringify(configuration)} since ${since}, differs from the order at ${differs.map((at) => at || 'every point').join(', ')}`;

const needed = ({ name, to, host, state }: NonNullable<ServiceView['relations']>[number]): string =>
  `${name} ${to} on ${host} (${state ?? 'not registered'})`;

const watched = ({ host, missedSince }: NonNullable<ServiceView['supervisor']>): string =>
  `that of ${host}${missedSince === undefined ? '' : `, which has not heard it since ${missedSince}`}`;
