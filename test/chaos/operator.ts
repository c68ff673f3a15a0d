import type { BodyOf } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import { tagOf } from './acknowledged.ts';
import { answered, type Drive, pause } from './drivers.ts';

type Fp = NonNullable<BodyOf<typeof contract.accept>['systems']>[number];

/** Most keys that one call may name. */
const perCall = 200;
const roundEveryMs = 100;

/** An operator at work: accepts whoever knocked, and takes some off their nodes and tags others, until told to stop. */
export async function operator(drive: Drive, knockNow: (fps: readonly string[]) => void, enough: AbortSignal): Promise<void> {
  const known = new Set<string>();
  let edits = 0;
  while (await pause(roundEveryMs, drive)) {
    await acceptAll(known, drive);
    if (enough.aborted) continue;
    if (drive.ack.onboarded.size > 0) await takeOff(drive, knockNow);
    if (drive.ack.accepted.size === 0) continue;
    edits += 1;
    await tag(edits, drive);
  }
}

/** Accepts those who knocked and are not known to be accepted; a call without an answer is made again. */
async function acceptAll(known: Set<string>, { api, ack }: Drive): Promise<void> {
  const systems = [...ack.knocked].filter((fp) => !known.has(fp)).slice(0, perCall);
  if (systems.length === 0) return;
  const answer = await answered(api(contract.accept, { body: { systems: systems as Fp[] } }));
  // Not done is one that was accepted by a call whose answer was lost.
  if (answer?.ok) for (const { fp } of answer.body.results) known.add(fp);
}

/** Takes one off its node; it is told to knock, as an operator would, and finds a place again. */
async function takeOff({ api, ack, world }: Drive, knockNow: (fps: readonly string[]) => void): Promise<void> {
  const fp = oneOf([...ack.onboarded.keys()], world.random());
  await answered(api(contract.unregister, { body: { systems: [fp as Fp] } }));
  knockNow([fp]);
}

async function tag(n: number, { api, ack, world }: Drive): Promise<void> {
  // Few of them, so that each is tagged over and over.
  const fp = oneOf([...ack.accepted].slice(0, 20), world.random());
  await answered(api(contract.editSystem, { params: { fp: fp as Fp }, body: { tags: [tagOf(n) as never] } }));
}

const oneOf = <T>(items: readonly T[], random: number): T => items[Math.floor(random * items.length)]!;
