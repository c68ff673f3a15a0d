import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import type { SiteOrdersView, SiteOrderView } from '../../../../lib/stations/site-orders/routes.ts';
import type { Cli } from '../../cli.ts';
import { dated } from '../../output/moments.ts';
import { lookUntil } from '../mero/waiting.ts';

/** The orders on the site of a zone, and how they are carried out. */
export const siteOrdersOf = async (cli: Cli, zone: ZoneName): Promise<SiteOrdersView> =>
  (await cli.call(contract.getSiteOrders, { params: { zone } })).body;

/** Waits until an order is over, for so many ms at the most; gives it as it is then. */
export async function orderAfter(cli: Cli, zone: ZoneName, order: SiteOrderView, waitMs: number): Promise<SiteOrderView> {
  const { now } = await lookUntil(
    cli,
    async () => (await siteOrdersOf(cli, zone)).items.find((one) => one.order === order.order) ?? order,
    { timeoutMs: waitMs, ends: ({ state }) => (state === 'waiting' ? undefined : 'ended'), progressText: () => undefined },
  );
  return now;
}

const outcomes: Readonly<Record<Exclude<SiteOrderView['state'], 'waiting' | 'done'>, string>> = {
  refused: 'refused, nothing ran',
  unknown: 'outcome unknown: it may have run, and is not repeated',
  expired: 'no answer in time: it may have run',
};

/** The state of an order, in a line. */
export function orderText({ state, exit, says, host, order, dryRun }: SiteOrderView): string {
  const about = `order ${order}, ${dryRun ? 'dry run of a ' : ''}power cycle of ${host}`;
  if (state === 'waiting') return `${about}: no answer yet`;
  const how = state === 'done' ? `exit ${exit}` : outcomes[state];
  return `${about}: ${how}${says === undefined || says === '' || state === 'expired' ? '' : `: ${says}`}`;
}

/** How hosts of a zone are power-cycled, and the latest orders; nothing where that is not set. */
export function powerText(cli: Cli, { power, bmcs, items, wanted }: SiteOrdersView): string {
  if (!power) return '';
  const now = cli.terminal.now();
  const { command, everyMs, auto } = power;
  const rule = { off: 'only by hand', 'dry-run': 'a host that is down: dry run', on: 'a host that is down, and by hand' }[auto];
  const lines = [
    'power cycles: the coordinator runs its power program (muster-agent --power-command)',
    ...(command ? [`  older agents run: ${command.join(' ')}`] : []),
    `  at most once in ${everyMs / 60_000} min for each host; ${rule}`,
    ...bmcs.map(({ host, address, user, secret }) => `  BMC of ${host}: ${user} at ${address}, password ${secret}`),
    ...wanted.map(({ host, since }) => `  ${host} is down, and has waited for its turn since ${dated(since, now)}`),
    ...items.slice(0, 5).map((order) => `  ${dated(order.at, now)} ${orderText(order)}`),
  ];
  return `${lines.join('\n')}\n`;
}
