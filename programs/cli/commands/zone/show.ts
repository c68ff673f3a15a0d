import { contract } from '../../../../lib/contract.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zone } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dated, interval } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import { settings } from './settings.ts';

/** `zone show`: shows a zone and a summary of its map. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .argument('[zone]', 'its name', zone, 'default' as ZoneView['name'])
    .description('Show a zone and a summary of its map: the state of each node, and how many slots it owns')
    .action(async (name: ZoneView['name']) => {
      const { body } = await cli.call(contract.getZone, { params: { zone: name } });
      cli.show(body, () => facts(body, cli) + owners(body, cli));
    });
  examples(command, cli.terminal.name, ['zone show'], ['zone show emea --json']);
};

function facts(view: ZoneView, cli: Cli): string {
  const { map } = view;
  return `zone ${view.name}: ${view.kind}, ${view.mode} mode\n${cli.details({
    because: view.because,
    ...(view.disrupted && { disrupted: disruption(view.disrupted) }),
    ...(view.darkRacks && { 'dark racks': view.darkRacks.join(', ') }),
    ...(view.frozen && { frozen: view.frozen }),
    map: `version ${map.version}, ${map.slots} slots, ${map.unowned} without a node, ${map.awayFromHome} away from home`,
    systems: `about ${view.systemsAbout}${view.countedAt ? `, counted ${dated(view.countedAt, cli.terminal.now())}` : ''}`,
    capacity: view.capacity && capacity(view.capacity),
    waits: view.crowded && `${view.crowded.slots} slots with about ${view.crowded.systemsAbout} systems: no node has room for them`,
    version: `${view.version}, epoch ${view.epoch}`,
    settings: settings(view),
    page: view.page,
    'asking back': view.askingBack?.map(({ fqdn }) => fqdn).join(', '),
    kept: view.kept?.map((one) => retainedFor(one, cli)).join(', '),
    forecast: view.forecast?.because,
    recovering: losses(view, false, cli),
    recovered: losses(view, true, cli),
  })}`;
}

const capacity = ({ declared, clientsMax, filled }: NonNullable<ZoneView['capacity']>): string =>
  `about ${filled} of ${clientsMax} systems, which is 97 % of the ${declared} that its nodes declare${filled >= clientsMax ? ': full' : ''}`;

const disruption = ({ rule, silent, nodes, until }: NonNullable<ZoneView['disrupted']>): string =>
  `${silent} of ${nodes} nodes fell silent and are held by rule ${rule}${until ? `, until ${until} at the latest` : ', until Muster hears from them or an operator calms the zone'}`;

/** The node for which client systems are retained, and until when. */
const retainedFor = ({ fqdn, until, systemsAbout }: NonNullable<ZoneView['kept']>[number], cli: Cli): string =>
  `about ${systemsAbout} systems for ${fqdn}, until ${until ? dated(until, cli.terminal.now()) : 'it is back'}`;

/** Losses that are not over, or the last ones that are, and how long each took. */
function losses({ recoveries = [] }: ZoneView, over: boolean, cli: Cli): string | undefined {
  const now = cli.terminal.now();
  const texts = recoveries
    .filter((one) => one.over === over)
    .map(({ fqdn, since, placedAt, systemsAbout, late }) => {
      const [from, to] = [Date.parse(since), placedAt === undefined ? undefined : Date.parse(placedAt)];
      const span = over
        ? `in ${interval(to! - from)}`
        : `for ${interval(now - from)}, ${to ? `until ${dated(placedAt, now)}` : 'slots wait for a node'}`;
      return `about ${systemsAbout} systems of ${fqdn} ${span}${late ? ', late' : ''}`;
    });
  return texts.length === 0 ? undefined : texts.join('; ');
}

const owners = ({ map }: ZoneView, cli: Cli): string =>
  cli.table(map.nodes, [
    { title: 'NODE', of: ({ fqdn }) => fqdn },
    { title: 'STANDING', of: ({ standing }) => standing, paint: ({ standing }) => paintOf(standing) },
    { title: 'SLOTS', align: 'right', of: ({ slots }) => String(slots) },
    { title: 'SHARE', align: 'right', of: ({ slots }) => `${((100 * slots) / map.slots).toFixed(1)}%` },
    {
      title: 'SYSTEMS',
      align: 'right',
      of: ({ systemsAbout, capacity: of }) => `~${systemsAbout}${of === undefined ? '' : ` of ${of}`}`,
    },
    { title: 'GEN', align: 'right', of: ({ generation }) => String(generation) },
  ]);
