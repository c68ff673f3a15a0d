import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, hourMs, minuteMs } from '../../core/time.ts';

/** The maximum number of orders that wait, and of orders that are over and still displayed: the newest. */
export const waitingMax = 16;
export const doneMax = 32;
/**
 * The maximum number of hosts that wait for the rule, and how long each waits, in ms: a host that is not up again by
 * then is left to operators.
 */
export const wantedMax = 16;
export const wantedForMs = hourMs;
/** How often the rule tries a power cycle again that is not allowed yet, in ms. */
export const wantedRetryMs = minuteMs;
/** The maximum number of hosts with a BMC that was given by hand: the others are in the facts. */
export const bmcsMax = 500;
/**
 * How rarely a host is power-cycled by default, in ms: a server takes minutes to boot, and a server that does not come
 * back by one power cycle will not by more.
 */
export const everyDefaultMs = 10 * minuteMs;
export const everyMinMs = minuteMs;
export const everyMaxMs = 24 * hourMs;
/**
 * The maximum number of hosts of a zone that are power-cycled within an hour, whatever its size. In a zone with fewer
 * than twice as many hosts it is half of them.
 */
export const hourlyMax = 16;

const line = z.string().regex(/^[!-~]{1,253}$/, 'one word of 1 to 253 printable ASCII characters');

/**
 * The BMC of a host: its address, its user, and the name by which the agents of stations know the password. The
 * password itself is nowhere here.
 */
export const HostBmc = z.strictObject({ host: Fqdn, address: line, user: line, secret: line });
export type HostBmc = z.infer<typeof HostBmc>;

const plain = z
  .string()
  .regex(
    /^[A-Za-z0-9@%+=:,./_][A-Za-z0-9@%+=:,./_-]{0,252}$/,
    'one word of letters, digits and @ % + = : , . / _ -, and no - at its beginning',
  );
/**
 * The BMC of a host as an operator gives it: stations refuse any other characters. Rows may have some that were given
 * before.
 */
export const GivenBmc = HostBmc.extend({ address: plain, user: plain });
export type GivenBmc = z.infer<typeof GivenBmc>;

/** The placeholders for each host in the command of a zone; the file of the password is the agent's own. */
export const placeholders = ['host', 'bmc', 'user', 'passwordFile'] as const;
/**
 * A command as a list of words, as stations of an older version run it: no shell reads it. Placeholders in braces are
 * replaced for each host.
 */
export const PowerCommand = z
  .array(z.string().min(1).max(1_000))
  .min(1)
  .max(64)
  .refine((words) => words.some((word) => /\{(host|bmc)\}/.test(word)), { error: 'the command must contain {host} or {bmc}' })
  .refine(
    (words) => words.every((word) => [...word.matchAll(/\{(\w+)\}/g)].every(([, name]) => placeholders.some((known) => known === name))),
    {
      error: `the only placeholders are {${placeholders.join('} {')}}`,
    },
  );

/**
 * The settings of power cycles in a zone: how rarely each host is power-cycled, and whether the rule does it for hosts
 * that are down.
 */
export const Power = z.strictObject({
  /** The command that agents of an older version run; present only if it was stored before stations named their own. */
  command: PowerCommand.optional(),
  everyMs: z.int().min(everyMinMs).max(everyMaxMs),
  auto: z.enum(['off', 'dry-run', 'on']),
});
export type Power = z.infer<typeof Power>;

/** An order to the coordinator's agent under its epoch. It is never handed to another agent. */
export const SiteOrder = z.strictObject({
  n: z.int().positive(),
  does: z.literal('power-cycle'),
  host: Fqdn,
  by: z.enum(['operator', 'rule']),
  /** The agent reports what it would run, and runs nothing. */
  dryRun: z.boolean(),
  node: NodeId,
  epoch: z.int().positive(),
  at: EpochMs,
  until: EpochMs,
});
export type SiteOrder = z.infer<typeof SiteOrder>;

/**
 * How an order ended. `done`: with that exit code. `refused`: by its agent, so that nothing ran. `unknown`: its agent
 * was killed meanwhile, and does not run it again. `expired`: no answer came in time, so that it may have run.
 */
export const EndedOrder = SiteOrder.extend({
  outcome: z.enum(['done', 'refused', 'unknown', 'expired']),
  exit: z.int().min(0).max(255).optional(),
  says: z.string().max(2_000),
  endedAt: EpochMs,
});
export type EndedOrder = z.infer<typeof EndedOrder>;

/** The orders on the site of a zone. The row exists from the first time that an operator configures power cycles. */
export const SiteOrders = z.strictObject({
  zone: ZoneName,
  power: Power.optional(),
  bmcs: z.array(HostBmc).max(bmcsMax),
  /** The number of the last order. */
  last: z.int().nonnegative(),
  waiting: z.array(SiteOrder).max(waitingMax),
  /** The newest last. */
  ended: z.array(EndedOrder).max(doneMax),
  /**
   * When hosts were power-cycled, the last at the end, for as long as that matters. A refused power cycle is taken out,
   * so that the one before counts.
   */
  cycled: z.array(z.strictObject({ host: Fqdn, at: EpochMs })),
  /** Hosts that are down and wait for a power cycle by the rule. */
  wanted: z.array(z.strictObject({ host: Fqdn, node: NodeId, since: EpochMs })).max(wantedMax),
});
export type SiteOrders = z.infer<typeof SiteOrders>;

/** The row of the orders on the site of a zone. */
export const siteOrdersRef = refOf('site-orders', SiteOrders);
