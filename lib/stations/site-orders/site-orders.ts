import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, hourMs, minuteMs } from '../../core/time.ts';

/** How many orders wait at the most, and how many that are over are shown: the newest. */
export const waitingMax = 16;
export const doneMax = 32;
/**
 * How many hosts wait for their turn by the rule at the most, and for how long each, in ms: who was not up again by
 * then is left to people.
 */
export const wantedMax = 16;
export const wantedForMs = hourMs;
/** How often the rule tries again what may not be yet, in ms. */
export const wantedLookMs = minuteMs;
/** How many hosts have a BMC said by hand at the most: the others are in the facts. */
export const bmcsMax = 500;
/**
 * How rarely a host is power-cycled unless somebody says otherwise, in ms: a server takes minutes to boot, and one that
 * does not come back by this will not by more.
 */
export const everyDefaultMs = 10 * minuteMs;
export const everyMinMs = minuteMs;
export const everyMaxMs = 24 * hourMs;
/**
 * How many hosts of a zone are power-cycled within an hour at the most, whatever its size; of fewer than twice as many
 * it is half.
 */
export const hourlyMax = 16;

const line = z.string().regex(/^[!-~]{1,253}$/, 'one word of 1 to 253 printable ASCII characters');

/**
 * Where the BMC of a host is, who signs in there, and by which name the agents of stations know the password; the
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
 * The BMC of a host as somebody gives it: stations refuse any other word. Rows may hold some that were given before.
 */
export const GivenBmc = HostBmc.extend({ address: plain, user: plain });
export type GivenBmc = z.infer<typeof GivenBmc>;

/** What is told of each host in the command of a zone; the file of the password is the agent's own. */
export const told = ['host', 'bmc', 'user', 'passwordFile'] as const;
/**
 * A command in words, as stations of an older version run it: no shell reads it. What stands in braces is told of each
 * host.
 */
export const PowerCommand = z
  .array(z.string().min(1).max(1_000))
  .min(1)
  .max(64)
  .refine((words) => words.some((word) => /\{(host|bmc)\}/.test(word)), { error: 'it names {host} or {bmc}, once at least' })
  .refine((words) => words.every((word) => [...word.matchAll(/\{(\w+)\}/g)].every(([, name]) => told.some((known) => known === name))), {
    error: `{${told.join('} {')}} are told, and nothing else`,
  });

/** How hosts of a zone are power-cycled: how rarely each, and whether the rule does it for those that are down. */
export const Power = z.strictObject({
  /** What agents of an older version run; present only if it was stored before stations named their own. */
  command: PowerCommand.optional(),
  everyMs: z.int().min(everyMinMs).max(everyMaxMs),
  auto: z.enum(['off', 'dry-run', 'on']),
});
export type Power = z.infer<typeof Power>;

/** An order to the coordinator's agent: it is that one's, under that epoch, and never handed to another. */
export const SiteOrder = z.strictObject({
  n: z.int().positive(),
  does: z.literal('power-cycle'),
  host: Fqdn,
  by: z.enum(['operator', 'rule']),
  /** It is said what would be run, and nothing is. */
  dryRun: z.boolean(),
  node: NodeId,
  epoch: z.int().positive(),
  at: EpochMs,
  until: EpochMs,
});
export type SiteOrder = z.infer<typeof SiteOrder>;

/**
 * How an order ended: `done` with that exit code; `refused` by its agent, so that nothing ran; `unknown`: its agent was
 * killed meanwhile and does not do it again; `expired`: nothing was heard in time, so that it may have run.
 */
export const EndedOrder = SiteOrder.extend({
  outcome: z.enum(['done', 'refused', 'unknown', 'expired']),
  exit: z.int().min(0).max(255).optional(),
  says: z.string().max(2_000),
  endedAt: EpochMs,
});
export type EndedOrder = z.infer<typeof EndedOrder>;

/** What is ordered on the site of a zone. The row is there from the first time that somebody says how. */
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
   * When hosts were power-cycled, the last at the end, for as long as that says anything: of one that is refused, what
   * was before counts.
   */
  cycled: z.array(z.strictObject({ host: Fqdn, at: EpochMs })),
  /** Hosts that are down, and that the rule has power-cycled once that may be. */
  wanted: z.array(z.strictObject({ host: Fqdn, node: NodeId, since: EpochMs })).max(wantedMax),
});
export type SiteOrders = z.infer<typeof SiteOrders>;

/** The row of what is ordered on the site of a zone. */
export const siteOrdersRef = refOf('site-orders', SiteOrders);
