import { setTimeout as sleep } from 'node:timers/promises';
import { contract } from '../../lib/contract.ts';
import type { ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import type { ClientState } from '../../programs/client/state.ts';
import { type Census, isAtPeace, takeCensus } from './rules-end.ts';
import type { Stage } from './stage.ts';

/** How everybody is in the end, and how many client systems were told to knock for it. */
export type Peace = { readonly census: Census; readonly reminded: number };

/**
 * A client system that hears its node may call only in a quarter of an hour, or in six hours; after this long we do not
 * wait for that.
 */
const remindAfterMs = 20 * secondMs;

/** Where all nodes are. */
const zone = 'default' as ZoneName;

/**
 * Waits until everybody is where they belong, or no longer. When nobody moves any more, those who are not are told to
 * knock, as an operator would: a node that was given up while it was only cut off has no order to release those whose
 * slots went elsewhere meanwhile. And he says that a node is lost which fell silent together with others and stays
 * silent: it would be held for a quarter of an hour.
 */
export async function peace({ options, drive, nodes, clients }: Stage): Promise<Peace> {
  const until = Date.now() + options.peaceWithinMs;
  let [least, since, reminded] = [Number.POSITIVE_INFINITY, Date.now(), 0];
  for (;;) {
    const census = await takeCensus(drive.api, nodes);
    const isPeace = census.systems.length === options.clients && isAtPeace(census);
    if (isPeace || Date.now() > until) return { census, reminded };
    const elsewhere = census.systems.filter(({ status }) => status !== 'onboarded');
    const unheard = options.clients - census.systems.length;
    options.say(`${elsewhere.length} client systems and ${unheard} that never called are not where they belong`);
    // Together: as long as they still come in, there are ever more of the former, and yet all is well.
    const left = elsewhere.length + unheard;
    if (left < least) [least, since] = [left, Date.now()];
    if (Date.now() - since > remindAfterMs) {
      await calm(census, drive, options.say);
      for (const { fp, fqdn, status, because, node } of elsewhere)
        options.say(`told to knock: ${fqdn}, ${status} (${because}), on ${node?.fqdn}; its daemon: ${shown(clients.stateOf(fp))}`);
      clients.knockNow(elsewhere.map(({ fp }) => fp));
      reminded += elsewhere.length;
      since = Date.now();
    }
    await sleep(secondMs);
  }
}

/** What a daemon is about, without its token: what a rare end needs to be understood. */
const shown = (state: ClientState | undefined): string =>
  state === undefined ? 'none' : JSON.stringify(state, (key, value) => (key === 'token' ? undefined : value));

/** Says that whoever is silent is lost, once that is nobody whose agent runs. */
async function calm({ alive, nodes }: Census, { api }: Stage['drive'], say: (line: string) => void): Promise<void> {
  const silent = nodes.filter(({ status }) => status === 'suspect');
  if (silent.length === 0 || silent.some(({ id }) => alive.includes(id))) return;
  const answer = await api(contract.calmZone, { params: { zone }, body: {} });
  if (!answer.ok) throw new Error(`zone ${zone} is not calmed: ${answer.problem.detail}`);
  say(`said to be lost: ${silent.map(({ fqdn }) => fqdn).join(', ')}`);
}
