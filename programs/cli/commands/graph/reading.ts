import type { Command } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { type Fragment, joined, type Vertex } from '../../../../lib/graph/graph.ts';
import { meant, type Walkable, walkable } from '../../../../lib/graph/walk.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zoneOption } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';

/** Which graph, and what of it. */
export type GraphChoice = { readonly zone: ZoneView['name']; readonly devices?: true; readonly systems?: true };

/** Adds the options that choose the graph. */
export const ofGraph = (command: Command): Command =>
  command
    .addOption(zoneOption('the zone of the graph').default('default'))
    .option('--devices', 'include the devices of Mero services')
    .option('--systems', 'include client systems, which may be many');

/** The whole graph of a zone, page by page. What changes meanwhile may be there as it was or as it is. */
export async function readGraph(cli: Cli, { zone, devices, systems }: GraphChoice): Promise<Fragment> {
  const fragments: Fragment[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...(devices && { devices: 'true' as const }), ...(systems && { systems: 'true' as const }) };
    const { body } = await cli.call(contract.graph, { params: { zone }, query: { ...query, ...(cursor !== undefined && { cursor }) } });
    fragments.push(body);
    cursor = body.next;
  } while (cursor !== undefined);
  return joined(fragments);
}

/** The parts to read for a text that may name a device or a client system: these are read only where they are meant. */
const asMeant = (choice: GraphChoice, texts: readonly string[]): GraphChoice => ({
  ...choice,
  ...(texts.some((text) => /^(device )?(0x64|wwn)/i.test(text)) && { devices: true as const }),
  ...(texts.some((text) => /^(system )?[0-9a-f:]{8,95}$/i.test(text)) && { systems: true as const }),
});

/** The graph, with the vertices that these texts name. Throws a {@link Failure} for one that names none, or several. */
export async function readNamed(cli: Cli, choice: GraphChoice, texts: readonly string[]): Promise<{ graph: Walkable; named: Vertex[] }> {
  const graph = walkable(await readGraph(cli, asMeant(choice, texts)));
  return { graph, named: texts.map((text) => oneOf(graph, text, choice)) };
}

/** At most so many are named when a text means several. */
const namedMax = 10;

function oneOf(graph: Walkable, text: string, { zone, devices, systems }: GraphChoice): Vertex {
  const [first, ...others] = meant(graph, text);
  if (first && others.length === 0) return first;
  if (!first) {
    const unread = [...(devices ? [] : ['--devices']), ...(systems ? [] : ['--systems'])];
    throw new Failure(
      exitCodes.failed,
      `nothing in the graph of zone ${zone} is called ${text}`,
      unread.length > 0 ? `Search more of the graph: ${unread.join(', ')}` : undefined,
    );
  }
  const ids = [first, ...others].slice(0, namedMax).map(({ id }) => `'${id}'`);
  throw new Failure(
    exitCodes.usage,
    `${text} may mean ${ids.join(', ')}${others.length >= namedMax ? ' and others' : ''}`,
    'Give one of these',
  );
}
