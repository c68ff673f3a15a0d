import { type Bug, patch } from '../bug.ts';

/** Mistakes about what is done on site by the station that coordinates. */
export const siteOrderBugs: readonly Bug[] = [
  {
    name: 'a-dry-run-shows-how-it-goes',
    breaks: 'an-order-on-site-is-run-once',
    why: 'what would be run is best seen when it is',
    foundIn: { world: 'handy', seed: 3 },
    patches: [patch('  if (order.dryRun) return', '  if (order.dryRun && limitMs === 0) return')],
  },
  {
    name: 'what-was-interrupted-is-begun-anew',
    breaks: 'orders-on-site-end-as-they-went',
    why: 'what an agent was killed at is not done, and it is asked once more',
    foundIn: { world: 'lapsing', seed: 7 },
    patches: [
      patch(
        "  if (what !== 'message') return { next: withHeld(state, rest), actions: [] };",
        "  if (what !== 'message' || held.inside) return { next: withHeld(state, rest), actions: [] };",
      ),
    ],
  },
  {
    name: 'hosts-are-power-cycled-together',
    breaks: 'power-cycles-keep-to-the-brakes',
    why: 'one host of a zone at once takes for ever',
    foundIn: { world: 'handy', seed: 1 },
    patches: [patch('  if (under) return', '  if (under?.host === host) return')],
  },
  {
    name: 'who-does-not-come-back-is-power-cycled-again',
    breaks: 'power-cycles-keep-to-the-brakes',
    why: 'another one may help',
    foundIn: { world: 'handy', seed: 6 },
    patches: [patch('now < plusMs(before.at, power.everyMs))', 'now < before.at)')],
  },
  {
    name: 'a-command-ends-as-it-likes',
    breaks: 'orders-on-site-end-as-they-went',
    why: 'the exit code of a command is its own',
    foundIn: { world: 'handy', seed: 1 },
    patches: [patch('exit: isOwn ? ocf.generic : exit }', 'exit: isOwn && !words ? ocf.generic : exit }')],
  },
  {
    name: 'what-a-power-program-printed-is-told',
    breaks: 'no-password-leaves-its-station',
    why: 'who ordered it wants to read why it failed, and the password is masked',
    foundIn: { world: 'handy', seed: 1 },
    patches: [
      patch('const { exit } = await runs(words, limitMs);', 'const { exit, says } = await runs(words, limitMs);'),
      patch('says: outcomeOf(exit) };', "says: says.replaceAll('hunter2-of-every-bmc', '***') || outcomeOf(exit) };"),
    ],
  },
  {
    name: 'an-order-waits-until-it-is-answered',
    breaks: 'no-order-on-site-hangs',
    why: 'whoever was ordered something answers in the end',
    foundIn: { world: 'handy', seed: 1 },
    patches: [patch('orders.waiting.filter(({ until }) => until <= now)', 'orders.waiting.filter(({ until }) => until < 0)')],
  },
  {
    name: 'the-rule-is-on',
    breaks: 'by-rule-only-who-is-down',
    why: 'whoever says how hosts are power-cycled wants them to be',
    foundIn: { world: 'lapsing', seed: 5 },
    patches: [
      patch("if (wish.by === 'rule' && power", 'if (!wish.host && power'),
      patch("if (!orders?.power || orders.power.auto === 'off') return;", 'if (!orders?.power) return;'),
      patch("if (!orders.power || orders.power.auto === 'off') return nothing", 'if (!orders.power) return nothing'),
    ],
  },
];
