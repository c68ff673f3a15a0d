import * as z from 'zod';
import type { Report } from '../../../events/catalogue.ts';
import { byBus, Voucher } from '../../../events/define.ts';
import { VouchedReport } from '../../../events/reported/vouched.ts';
import { Refusal } from '../../api/problem.ts';
import { Poison } from '../../core/errors.ts';
import { EpochMs } from '../../core/time.ts';
import type { Message } from '../../ports/queue/queue.ts';
import { poisonOf } from '../../runtime/on-queue.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Node } from '../node.ts';

/**
 * A message that the rule of a sender forwards: the sender that may put events of that source, its zone, when the bus
 * took the event, and the event itself. The rule writes the first part; a sender can only write the second.
 */
const HandedOn = z.strictObject({ vouched: Voucher.extend({ at: z.string().max(64) }), report: z.unknown() });

type HandedOn = z.infer<typeof HandedOn>;

/**
 * A message that the rule of a sender has forwarded; undefined for any other message. The rule that forwards all other
 * reports takes none without a `type`, which this message lacks.
 */
export const handedOn = (raw: unknown): HandedOn | undefined => HandedOn.safeParse(raw).data;

/**
 * A report of a sender that vouches for nodes. It counts from when the bus took it, by the clock of the bus: a rule may
 * forward it a minute later, and the time that its sender names is not trusted. Throws {@link Poison} for a report that
 * no system may vouch for.
 */
export function fromVoucher({ vouched, report }: HandedOn, { sentAt }: Pick<Message, 'sentAt'>, shell: Pick<Shell, 'settings'>): Report {
  const read = VouchedReport.safeParse(report);
  if (!read.success) throw poisonOf(read.error, report);
  const { at, by, zone } = vouched;
  const taken = Date.parse(at);
  const receivedAt = EpochMs.parse(taken <= sentAt ? taken : sentAt);
  return stamped(read.data, { receivedAt, intervalMs: shell.settings.beatMinMs, vouched: { by: `bus:${by}`, zone } });
}

/** The same for the function that decides on heartbeats alone. */
export function heartbeatFromVoucher(raw: unknown, message: Pick<Message, 'sentAt'>, shell: Pick<Shell, 'settings'>): Report {
  const handed = handedOn(raw);
  if (!handed) throw new Poison('not-from-bus', 'no rule of a sender that vouches for nodes has forwarded this');
  const report = fromVoucher(handed, message, shell);
  if (report.type === 'node.heartbeat') return report;
  throw new Poison('not-from-bus', `a ${report.type} was put under the detail-type node.heartbeat: put it under its own`);
}

/** A report that a system vouches for, with the stamps of Muster. */
export const stamped = (
  report: VouchedReport,
  stamps: { readonly receivedAt: EpochMs; readonly intervalMs: number; readonly vouched: Voucher },
): Report => ({ ...report, ...stamps }) as Report;

/**
 * The shell that decides on a report. A report that is vouched for, or that came by the API, is attributed to its
 * sender, except heartbeats, of which there are too many to audit. The sender of any other report from the bus is
 * unknown.
 */
export function attributedTo(shell: Shell, { type, vouched, by, id }: Report): Shell {
  const who = vouched?.by ?? by;
  if (who === undefined || who === byBus || type === 'node.heartbeat') return shell;
  const key = /^key:(.+)$/.exec(who)?.[1];
  return { ...shell, actor: { who, ...(key !== undefined && { key }), source: 'ingest', request: id } };
}

/**
 * Throws a {@link Refusal} for a sign of life from an agent whose node another system vouches for. The agent asks again
 * after an interval, so that it is heard in time once an administrator ends the vouching.
 */
export function refuseVouched({ vouched, fqdn }: Pick<Node, 'vouched' | 'fqdn'>, intervalMs: number): void {
  if (!vouched) return;
  throw new Refusal(
    'vouched-for',
    `another system vouches for ${fqdn}; its agent is heard again after muster node set ${fqdn} --vouched off`,
    { headers: { 'retry-after': String(Math.ceil(intervalMs / 1_000)) } },
  );
}
