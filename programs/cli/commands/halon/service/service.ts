import { Argument, InvalidArgumentError } from 'commander';
import { ServiceTypeName } from '../../../../../lib/core/ids.ts';
import { as } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { findingsText, readFile } from '../../facts/reading.ts';
import { muster, nodeOrMuster } from '../../service/rules.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../../service/zone.ts';
import { type Given, type OrderName, orders } from './orders.ts';
import { orderOnMuster } from './rule-orders.ts';

type Options = ZoneChoice & { readonly node: readonly string[]; readonly configuration?: string; readonly data?: unknown };

const name = as(ServiceTypeName, '1 to 40 lower-case letters, digits or hyphens, beginning with a letter');

/** `halon service TYPE start|…`: services of nodes, as the original orders them. */
export const halonService: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('service'))
    .argument('<type>', 'the type of service', name)
    .addArgument(new Argument('<order>', 'the order').choices(Object.keys(orders)))
    .argument('[message]', 'of send: the message', name)
    .description(
      'Start, stop or reconfigure a service on nodes, or ask for its state. A check, a status and a message end with the exit code of the service, as in OCF: 0 well, 7 not running; 75 without a reply in time. With several nodes, the highest code counts',
    )
    .requiredOption(
      '-n, --node <node>',
      'a node; may be given several times; `muster` has the consumers of Muster itself',
      (text: string, before: readonly string[] = []) => [...before, nodeOrMuster(text)],
    )
    .option('-c, --configuration <file>', 'of start and reconfigure: the configuration, YAML or JSON; - reads standard input')
    .option('-d, --data <json>', 'of send: what the message carries', dataOf)
    .action(async (type: ServiceTypeName, order: OrderName, message: ServiceTypeName | undefined, options: Options) => {
      refuseMisplaced(order, message, options);
      const configuration = options.configuration === undefined ? undefined : await configurationIn(cli, options.configuration);
      if (options.node.includes(muster)) return onMuster(cli, type, order, options.node);
      const zone = await serviceZone(cli, options);
      const given = {
        ...(configuration && { configuration }),
        ...(message && { message }),
        ...('data' in options && { data: options.data }),
      };
      await onEach(cli, options.node, (one) => orders[order](cli, { zone, type, node: one }, given));
    });
  examples(
    command,
    cli.terminal.name,
    ['halon service greeter start -n node1.acme.org -n node2.acme.org'],
    ['halon service greeter start -n node1.acme.org -c greeter.json', 'with a configuration of its own'],
    ['halon service greeter check -n node1.acme.org', 'ends with 0 while it is well'],
    [`halon service greeter send greet -n node1.acme.org -d '{"loudly":true}'`],
  );
};

/** Carries out an order on Muster's own consumers, which belong to no zone and to no other node. */
async function onMuster(cli: Cli, type: ServiceTypeName, order: OrderName, nodes: readonly string[]): Promise<void> {
  if (nodes.length > 1) throw new Failure(exitCodes.usage, `${muster} stands for Muster itself: give no other node`);
  await onEach(cli, nodes, () => orderOnMuster(cli, type, order));
}

/** Throws a {@link Failure} for an argument that the order has no use for: the person meant another order. */
function refuseMisplaced(order: OrderName, message: string | undefined, options: Options): void {
  const isConfigured = order === 'start' || order === 'reconfigure';
  if (options.configuration !== undefined && !isConfigured)
    throw new Failure(exitCodes.usage, `${order} takes no configuration: start and reconfigure do`);
  if (order !== 'send' && (message !== undefined || 'data' in options))
    throw new Failure(exitCodes.usage, `${order} takes no message: send does`);
}

function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

/** The configuration in a file. Throws a {@link Failure} after printing what is wrong with it. */
async function configurationIn(cli: Cli, file: string): Promise<NonNullable<Given['configuration']>> {
  const read = await readFile(cli, file);
  if (!read.ok) cli.say((await findingsText([read])).trimEnd());
  if (!read.ok || typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    throw new Failure(exitCodes.usage, `${file} has no configuration: it must map names to values`);
  return read.value as NonNullable<Given['configuration']>;
}

type Done = Awaited<ReturnType<(typeof orders)[OrderName]>>;

/**
 * Carries out an order on one node after another, whatever its result elsewhere. Throws a {@link Failure} with the
 * highest exit code of all.
 */
async function onEach(cli: Cli, nodes: readonly string[], order: (node: string) => Promise<Done>): Promise<void> {
  const failures: Failure[] = [];
  const done: { readonly node: string; readonly text: string; readonly body: unknown; readonly code: number }[] = [];
  for (const one of nodes)
    try {
      done.push({ node: one, ...(await order(one)) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (nodes.length === 1) throw error;
      failures.push(error);
      cli.say(`${one}: ${error.message}`);
    }
  const lines = ({ node: one, text }: (typeof done)[number]) => (nodes.length === 1 ? text : text.replace(/^(?=.)/gm, `${one}: `));
  cli.show(
    done.map(({ node: one, body, code }) => ({ node: one, exit: code, answer: body })),
    () => done.map(lines).join(''),
  );
  const worst = Math.max(0, ...done.map(({ code }) => code), ...failures.map(({ exitCode }) => exitCode));
  if (worst === 0) return;
  const undone = failures.length + done.filter(({ code }) => code !== 0).length;
  throw new Failure(worst, nodes.length === 1 ? `exit ${worst}` : `${undone} of ${nodes.length} not well`);
}
