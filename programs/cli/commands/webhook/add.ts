import { InvalidArgumentError, Option } from 'commander';
import { severities } from '../../../../events/severity.ts';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import type { WebhookView } from '../../../../lib/webhooks/routes.ts';
import { zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { renamed } from '../../verbs.ts';

type EventType = NonNullable<WebhookView['types']>[number];
type Options = { types?: EventType[]; severity?: WebhookView['severity']; zone?: ZoneName[] };

/** `webhook create`: has events delivered to a URL. */
export const add: Verb = (noun, cli) => {
  const command = renamed(noun, 'create', 'add')
    .argument('<url>', 'the address that each event is posted to: https, and not a private address')
    .description('Deliver events to a URL, each signed. Prints only the signing secret to standard output; it is shown once')
    .option('--types <types>', 'only events of these types, comma-separated, such as node.lost,zone.disrupted', types)
    .addOption(new Option('--severity <least>', 'only events of this severity or above').choices(severities))
    .option('--zone <name>', 'only events of this zone; may be given several times', zones)
    .action(async (url: string, { types: only, severity, zone: within }: Options) => {
      const body = { url, ...(only && { types: only }), ...(severity && { severity }), ...(within && { zones: within }) };
      const made = (await cli.call(contract.addWebhook, { body })).body;
      cli.show(made, () => `${made.secret}\n`);
      cli.say(`webhook ${made.webhook.id}; try it: webhook test ${made.webhook.id}`);
    });
  examples(
    command,
    cli.terminal.name,
    ['webhook create https://hooks.acme.org/muster --severity alarm > webhook.secret', 'events that need attention now'],
    ['webhook create https://hooks.acme.org/muster --types node.lost,node.dropped --zone emea'],
  );
};

const zones = (text: string, before: readonly ZoneName[] = []): ZoneName[] => [...before, zone(text)];

/** Types of events between commas. */
function types(text: string): EventType[] {
  const known: readonly string[] = contract.addWebhook.body!.shape.types.unwrap().element.options;
  const asked = text.split(',').map((one) => one.trim());
  const unknown = asked.find((one) => !known.includes(one));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no event type ${unknown}. The types are ${known.join(', ')}.`);
  return asked as EventType[];
}
