import type { ZoneDebug } from '../../../../../lib/assembly/debug/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { dated, interval, span } from '../../../output/moments.ts';
import { printable } from '../../../output/printable.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../../service/zone.ts';
import { stationsText } from '../station.ts';

/** `halon debug rc`: what coordinates a zone. */
export const rc: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('rc'))
    .description(
      'Show what coordinates a zone: its stations and coordinator, the delay of the sweep, the jobs under way, and the last decisions',
    )
    .action(async (options: ZoneChoice) => {
      const { body } = await cli.call(contract.debugZone, { params: { zone: await serviceZone(cli, options) } });
      cli.show(body, () => zoneText(cli, body));
    });
  examples(command, cli.terminal.name, ['halon debug rc'], ['halon debug rc --zone storage --json']);
};

function zoneText(cli: Cli, { stations, sweep, due, jobs, decisions }: ZoneDebug): string {
  const now = cli.terminal.now();
  const { everyMs, sweptAt, lateMs = 0, graceUntil } = sweep;
  const late = lateMs === 0 ? 'in time' : `${span(lateMs)} late`;
  const grace = graceUntil === undefined ? '' : `, no lease expires until ${graceUntil}`;
  const swept = sweptAt === undefined ? 'has not run yet' : `every ${interval(everyMs)}, last ${dated(sweptAt, now)}, ${late}${grace}`;
  const nouns = due && Object.entries(due.byNoun).map(([noun, rows]) => `${noun} ${rows}`);
  return [
    stationsText(cli, stations).trimEnd(),
    `sweep: ${swept}`,
    ...(due ? [`due: ${due.rows}${due.more ? ' or more' : ''} rows${nouns!.length > 0 ? ` (${nouns!.join(', ')})` : ''}`] : []),
    `jobs: ${jobs.length === 0 ? 'none' : ''}`.trimEnd(),
    ...jobs.map(({ job, says, since }) => `  ${job} ${says}${since === undefined ? '' : `, since ${dated(since, now)}`}`),
    `decisions: ${decisions.length === 0 ? 'none' : ''}`.trimEnd(),
    ...decisions.map(({ at, type, because, who }) => `  ${dated(at, now)} ${type}: ${because}${who === undefined ? '' : ` [${who}]`}`),
  ]
    .map((line) => `${line.split('\n').map(printable).join('\n')}\n`)
    .join('');
}
