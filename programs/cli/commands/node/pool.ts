import { contract } from '../../../../lib/contract.ts';
import type { PooledHostView } from '../../../../lib/nodes/admission/routes.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';
import { limited, showList } from '../../pages.ts';

/** `node pool`: lists hosts that wait to become nodes. */
export const pool: Verb = (noun, cli) => {
  const command = limited(noun.command('pool'))
    .description(
      'List hosts that asked to become nodes and that no token or rule let in, with the fingerprint that each shows (muster-agent fingerprint). Dropped nodes that wait for readmission are listed too',
    )
    .option('--wide', 'whole fingerprints, to compare with those that the hosts show')
    .action(async ({ limit, wide }: { limit: number; wide?: true }) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listNodePool, { query: at })).body, {
        columns: (now) => columns(now, wide === true),
        empty: 'no hosts wait',
      });
    });
  examples(command, cli.terminal.name, ['node pool --wide'], ["node pool --json | jq -r '.[].fqdn'"]);
};

const columns = (now: number, wide: boolean): Column<PooledHostView>[] => [
  { title: 'HOST', of: ({ fqdn }) => fqdn },
  {
    title: 'STANDING',
    of: ({ standing, dropped }) => (dropped ? `dropped ${ago(dropped.at, now)}` : standing),
    paint: ({ standing }) => paintOf(standing),
  },
  { title: 'FINGERPRINT', of: ({ fp, fingerprint }) => (wide ? fingerprint : fp.slice(0, 16)) },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'ZONE', of: ({ zone }) => zone ?? '' },
  { title: 'FROM', of: ({ source }) => source },
  {
    title: 'WATCH',
    of: ({ watch, foreignWatch }) => (foreignWatch ? watch : 'own'),
    paint: ({ foreignWatch }) => (foreignWatch ? 'bad' : undefined),
  },
  { title: 'FIRST', align: 'right', of: ({ firstSeenAt }) => ago(firstSeenAt, now) },
];
