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

/** `webhook create`: deliver events to a URL. */
export const add: Verb = (noun, cli) => {
  const command = renamed(noun, 'create', 'add')
    .argument('<url>', 'where each event is posted to: https, and no private address')
    .description(
      'Have events delivered to a URL, each signed. The secret that signs stands alone on standard output, and nowhere else: it is not shown again',
    )
    .option('--types <types>', 'only events of these types, comma-separated, such as node.lost,zone.disrupted', types)
    .addOption(new Option('--severity <least>', 'only events as severe as this, or more').choices(severities))
    .option('--zone <name>', 'only what is of this zone; may be given several times', zones)
    .action(async (url: string, { types: only, severity, zone: within }: Options) => {
      const body = { url, ...(only && { types: only }), ...(severity && { severity }), ...(within && { zones: within }) };
      const made = (await cli.call(contract.addWebhook, { body })).body;
      cli.show(made, () => `${made.secret}\n`);
      cli.say(`webhook ${made.webhook.id}; try it: webhook test ${made.webhook.id}`);
    });
  examples(
    command,
    cli.terminal.name,
    ['webhook create https://hooks.acme.org/muster --severity alarm > webhook.secret', 'what somebody should look at now'],
    ['webhook create https://hooks.acme.org/muster --types node.lost,node.dropped --zone emea'],
  );
};

const zones = (text: string, before: readonly ZoneName[] = []): ZoneName[] => [...before, zone(text)];

/** Types of events between commas. */
function types(text: string): EventType[] {
  const known: readonly string[] = contract.addWebhook.body!.shape.types.unwrap().element.options;
  const asked = text.split(',').map((one) => one.trim());
  const unknown = asked.find((one) => !known.includes(one));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no event ${unknown}; there are ${known.join(', ')}.`);
  return asked as EventType[];
}
