import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import type { AdoptionView } from '../../../../lib/uyuni/adoption/routes.ts';
import { node } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';

type Options = { dryRun?: true; duplicates?: true; wait: boolean; show?: true };

/** How often to look how far an adoption has come, in ms. */
const everyMs = 1_000;

/** `node adopt`: the systems that a server had before it became a node become client systems, where they are. */
export const adopt: Verb = (noun, cli) => {
  const command = noun
    .command('adopt')
    .argument('<node>', 'its id or fully qualified name', node)
    .description(
      'Adopt the systems that a server had before it became a node: each accepted key of its Salt master becomes an accepted client system, pinned softly to the node. Nothing moves, and nothing changes on the systems. Safe to repeat: what was interrupted goes on, and systems that were adopted are passed over',
    )
    .option('--dry-run', 'only count what would become of each system')
    .option('--duplicates', 'also adopt systems whose machine id or name another key reported first')
    .option('--no-wait', 'order it, and leave it to the agent of the node')
    .option('--show', 'order nothing: show how far the last order has come')
    .action(async (id: NodeView['id'], { dryRun, duplicates, wait, show }: Options) => {
      const ordered = show
        ? await lastOf(cli, id)
        : (await cli.call(contract.adoptSystems, { params: { id }, body: { dryRun: dryRun === true, duplicates: duplicates === true } }))
            .body;
      const adoption = wait && !show ? await ended(cli, id, ordered) : ordered;
      cli.show(adoption, () => inWords(adoption, cli));
      if (adoption.state === 'failed') throw new Failure(exitCodes.failed, `the adoption failed: ${adoption.why}`);
    });
  examples(
    command,
    cli.terminal.name,
    ['node adopt node7.acme.org --dry-run', 'what would become of its systems, and which cannot be adopted'],
    ['node adopt node7.acme.org'],
    ['node adopt node7.acme.org --show', 'how far it has come'],
  );
};

const lastOf = async (cli: Cli, id: NodeView['id']): Promise<AdoptionView> => (await cli.call(contract.adoption, { params: { id } })).body;

const isOpen = ({ state }: AdoptionView): boolean => state === 'ordered' || state === 'under-way';

/** The adoption once it has ended, or another order has taken its place. Notes how far it has come. */
async function ended(cli: Cli, id: NodeView['id'], ordered: AdoptionView): Promise<AdoptionView> {
  let [now, noted] = [ordered, ''];
  while (isOpen(now) && now.order === ordered.order) {
    const note = progress(now);
    if (note !== noted) cli.say(note);
    noted = note;
    await cli.terminal.sleep(everyMs);
    now = await lastOf(cli, id);
  }
  return now;
}

/** In steps of a thousand, so that 15,000 systems are some lines. */
const stepOf = (taken: number): number => Math.floor(taken / 1_000) * 1_000;

function progress({ state, adopted, known, left, total }: AdoptionView): string {
  if (state === 'ordered') return 'ordered; the agent of the node learns of it with its next heartbeat';
  const taken = stepOf(adopted + known + left);
  return taken === 0
    ? `${total} systems are looked at`
    : `${taken.toLocaleString('en')} of ${total?.toLocaleString('en')} systems were looked at`;
}

const count = (n: number): string => n.toLocaleString('en');

function inWords(adoption: AdoptionView, cli: Cli): string {
  const { state, dryRun, adopted, known, left, total, examples: some } = adoption;
  if (state === 'ordered') return `${progress(adoption)}\n`;
  const of = state === 'under-way' ? `, of ${count(total ?? 0)} so far` : '';
  const summary = `${count(adopted)} systems ${dryRun ? 'can be' : 'were'} adopted${of}, ${count(known)} were before, ${count(left)} ${dryRun ? 'would be' : 'were'} left\n`;
  if (some.length === 0) return summary;
  const table = cli.table(some, [
    { title: 'MINION', of: ({ minion }) => minion },
    { title: 'NAME', of: ({ name }) => name },
    { title: 'WHY IT IS LEFT', of: ({ because }) => because },
  ]);
  return `${summary}\n${table}${left > some.length ? `and ${count(left - some.length)} more\n` : ''}`;
}
