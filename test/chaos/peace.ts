import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs } from '../../lib/units.ts';
import { type Census, isAtPeace, takeCensus } from './rules-end.ts';
import type { Stage } from './stage.ts';

/** How everybody is in the end, and how many client systems were told to knock for it. */
export type Peace = { readonly census: Census; readonly reminded: number };

/** A client system that hears its node may call only in a quarter of an hour, or in six hours; after this long we do not wait for that. */
const remindAfterMs = 20 * secondMs;

/**
 * Waits until everybody is where they belong, or no longer. When nobody moves any more, those who are not are told to knock, as an operator
 * would: a node that was given up while it was only cut off has no order to release those whose slots went elsewhere meanwhile.
 */
export async function peace({ options, drive, nodes, clients }: Stage): Promise<Peace> {
  const until = Date.now() + options.peaceWithinMs;
  let [least, since, reminded] = [Number.POSITIVE_INFINITY, Date.now(), 0];
  for (;;) {
    const census = await takeCensus(drive.api, nodes.alive());
    const isPeace = census.systems.length === options.clients && isAtPeace(census);
    if (isPeace || Date.now() > until) return { census, reminded };
    const elsewhere = census.systems.filter(({ status }) => status !== 'onboarded');
    options.say(
      `${elsewhere.length} client systems and ${options.clients - census.systems.length} that never called are not where they belong`,
    );
    if (elsewhere.length < least) [least, since] = [elsewhere.length, Date.now()];
    if (Date.now() - since > remindAfterMs) {
      for (const { fqdn, status, because, node } of elsewhere)
        options.say(`told to knock: ${fqdn}, ${status} (${because}), on ${node?.fqdn}`);
      clients.knockNow(elsewhere.map(({ fp }) => fp));
      reminded += elsewhere.length;
      since = Date.now();
    }
    await sleep(secondMs);
  }
}
