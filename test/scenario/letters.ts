import type { DeadLetterView, DeadLetterWhole } from '../../lib/dead-letters/routes.ts';
import type { Cast } from './cast.ts';
import { type Line, line } from './line.ts';

const listed = async (cast: Cast): Promise<DeadLetterView[]> =>
  ((await cast.api('GET', 'dead-letters')).body as { items: DeadLetterView[] }).items;

/** The letter that the story is about; when it was dropped, nobody finds it but by the id that was noted. */
const noted = new WeakMap<Cast, string>();
async function theLetter(cast: Cast): Promise<string> {
  const [found] = await listed(cast);
  if (found) noted.set(cast, found.id);
  return noted.get(cast)!;
}

const orders: Readonly<Record<string, string>> = { 'gives back': 'redrive', drops: 'drop' };

/** What automation says by the ingest bus, and what operators do with letters that died. */
export const letters: readonly Line[] = [
  line('automation says that (node\\d+) leaves, to be (\\w+)ed', async (cast, name, mode) => {
    const leaving = { type: 'node.leaving', version: 1, id: `ticket-${mode}`, node: cast.agent(name!).id, data: { mode } };
    await cast.world.queue.sendFromBus('reports', JSON.stringify(leaving));
    return [];
  }),
  line('operator lists dead letters', async (cast) =>
    (await listed(cast)).map(
      ({ status, queue, via, deaths, first, last }) =>
        `${status}, ${queue} by ${via}, deaths ${deaths}, first ${timeOf(first.at)}, last ${timeOf(last.at)}, ${last.code}: ${last.reason}`,
    ),
  ),
  line('operator looks at the dead letter', async (cast) => {
    const { status, body } = await cast.api('GET', `dead-letters/${await theLetter(cast)}`);
    if (status !== 200) return [String(status)];
    const { sentAt, receives, redriven, message } = body as DeadLetterWhole;
    return [`sent ${timeOf(sentAt)}, received ${receives}, given back ${redriven ? timeOf(redriven.at) : 'never'}`, message];
  }),
  line('operator (gives back|drops) the dead letter', async (cast, what) => {
    const { body } = await cast.api('POST', `dead-letters/${orders[what!]}`, { ids: [await theLetter(cast)] });
    return (body as { results: { because: string }[] }).results.map(({ because }) => because);
  }),
  line('operator asks how it is', async (cast) => {
    const { deadLetters } = (await cast.api('GET', 'status')).body as { deadLetters: number };
    return [`dead letters: ${deadLetters}`];
  }),
];

const timeOf = (iso: string): string => iso.slice(11, 19);
