import { contract } from '../../../lib/contract.ts';
import type { ServiceView } from '../../../lib/services/view-routes.ts';
import type { Scene } from '../scene.ts';
import type { Watching } from '../watching.ts';
import type { Cast } from './cast.ts';

/** A measurement, in words and in ms. */
export type Measured = readonly [what: string, ms: number];

/** The means of scenes: the cast, how to wait for something, and a function that prints each finished scene. */
export type Stage = {
  readonly cast: Cast;
  readonly watching: Watching;
  tell(scene: Scene): void;
  measured(what: string, ms: number): void;
};

/** Plays a scene, and prints it. Throws when an awaited result does not come. */
export async function scene({ watching, tell }: Stage, what: string, act: () => Promise<readonly string[]>): Promise<void> {
  const started = watching.now();
  const details = await act();
  tell({ what, ms: watching.now() - started, details });
}

/**
 * An operator's command that must end with this code and print something like this, as a terminal shows it. Throws with
 * the actual result.
 */
export async function command(
  { cast }: Stage,
  words: readonly string[],
  { code: wanted = 0, says = /(?:)/ }: { readonly code?: number; readonly says?: RegExp } = {},
): Promise<readonly string[]> {
  const { code, out, err } = await cast.muster(...words);
  const text = `${out}${err}`.trimEnd();
  const typed = `muster ${words.map((word) => (/[\s"{]/.test(word) ? `'${word}'` : word)).join(' ')}`;
  if (code !== wanted || !says.test(text)) throw new Error(`${typed} ended with ${code}, not ${wanted} and ${says}:\n${text}`);
  return [`$ ${typed}`, ...text.split('\n'), ...(wanted === 0 ? [] : [`(exit code ${code})`])];
}

/** The services of the zone as they are now. */
export async function services({ cast }: Stage): Promise<readonly ServiceView[]> {
  const answer = await cast.api(contract.listServices, { params: { zone: 'default' }, query: {} });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.items;
}

/** Waits until the service of a host is as `is` has it; gives it. */
export const service = (
  stage: Stage,
  of: { readonly type: string; readonly host: string },
  what: string,
  is: (one: ServiceView) => boolean,
) =>
  stage.watching.until(`${of.type} of ${of.host} ${what}`, 30_000, async () =>
    (await services(stage)).find((one) => one.type === of.type && one.host === of.host && is(one)),
  );

/** The stations of the zone as they are now. */
export async function stationsNow({ cast }: Stage) {
  const answer = await cast.api(contract.getStations, { params: { zone: 'default' } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}

/** The status of a node, as Muster reports it. */
export async function statusOf({ cast }: Stage, host: string): Promise<string> {
  const answer = await cast.api(contract.listNodes, { query: {} });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.items.find(({ fqdn }) => fqdn === host)?.status ?? 'unknown';
}

/** Starts agents, and waits until Muster has acknowledged them all. */
export async function startAgents({ cast, watching }: Stage, hosts: readonly string[]): Promise<void> {
  for (const host of hosts) cast.startAgent(host);
  await watching.until(`${hosts.join(', ')} acknowledged`, 60_000, async () => hosts.every(cast.isAcknowledged) || undefined);
}
