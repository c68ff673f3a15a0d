import { clientMoves } from '../../lib/clients/client.ts';
import { statusMoves } from '../../lib/clients/rows/status.ts';
import { processMoves } from '../../lib/mero/processes/process.ts';
import { deviceCascade, serviceCascade } from '../../lib/mero/processes/rows/shown.ts';
import { moves } from '../../lib/nodes/node.ts';
import { serviceMoves } from '../../lib/services/service.ts';
import { madeFrom, table } from './source.ts';

type Moves = Readonly<Record<string, readonly string[]>>;
type NamedMoves = Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>;

/** The diagrams of every state machine, from the tables that the code itself goes by. */
export const stateMachinesPage =
  (): string => `${madeFrom('lib/nodes/node.ts', 'lib/clients/client.ts', 'lib/clients/rows/status.ts', 'lib/mero/processes/process.ts', 'lib/mero/processes/rows/shown.ts', 'lib/services/service.ts')}
# State machines

## Node

What \`nodes/decide\` writes from reports, commands and time is drawn with its name; what the whole zone must agree to is written by the
zone's plan. *absent* is a node that has joined and whose first node-up is awaited.

${diagram('absent', [...arrows(moves.decide, 'decide'), ...arrows(moves.plan, 'plan')])}
## Client system: its row

*absent* is a machine that never knocked. A pooled key that stops knocking expires.

${diagram('absent', arrows(clientMoves))}
## Client system: its status on the wire

One byte: 0 new, 1 onboarded, 2 orphan, 3 deleted. It is computed from the row or token and the zone's map, never stored.

${diagram('new', arrows(statusMoves))}
## Process of a storage cluster

Each arrow names the moves of the table that \`processes/decide\` goes by; what is in none is refused with a reason. A process that is told to stop goes
strictly by quiescing and stopping. *Inhibited* is no state: it is what a process is shown as while its node is down, with the one before.

${diagram('offline', arrowsOf(processMoves))}
What is shown of its Mero services, and of their devices, follows from it; one that was said to have failed by itself stays so.

${table(
  ['process', 'its services', 'their devices'],
  Object.entries(serviceCascade).map(([process, service]) => [process, service, deviceCascade[service]]),
)}
## Service

Each arrow names the moves of the table that \`services/decide\` goes by; what is in none is refused with a reason. Each *start* is another instance. One that
is *offline* is registered no more: its row is gone. *Inhibited* is what a service is shown as while its node is down.

${diagram('offline', arrowsOf(serviceMoves))}`;

/** One arrow for all moves between the same two states. */
function arrowsOf(moves: NamedMoves): string[] {
  const found = new Map<string, string[]>();
  for (const [move, { from: froms, to }] of Object.entries(moves))
    for (const from of froms) {
      const arrow = `    ${from} --> ${to}`;
      found.set(arrow, [...(found.get(arrow) ?? []), move]);
    }
  return [...found].map(([arrow, moves]) => `${arrow} : ${moves.join(', ')}`);
}

const arrows = (table: Moves, by?: string): string[] =>
  Object.entries(table).flatMap(([from, tos]) => tos.map((to) => `    ${from} --> ${to}${by ? ` : ${by}` : ''}`));

const diagram = (first: string, lines: readonly string[]): string =>
  `\`\`\`mermaid\nstateDiagram-v2\n    [*] --> ${first}\n${lines.join('\n')}\n\`\`\`\n`;
