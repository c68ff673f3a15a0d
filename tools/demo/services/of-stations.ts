import { command, scene } from '../stage.ts';
import { apps, stations } from './hosts.ts';
import { type Stage, services, startAgents, stationsNow, statusOf } from './stage.ts';

/**
 * Three stations, and the fate of the coordinating one; `isShort` leaves out scenes that wait for a lease of 30 s to
 * run out.
 */
export async function playStations(stage: Stage, isShort: boolean): Promise<void> {
  await name(stage);
  if (isShort) return;
  await killCoordinator(stage);
  await cutUplink(stage);
}

const coordinatorNow = async (stage: Stage) => (await stationsNow(stage)).coordinator;

async function name(stage: Stage): Promise<void> {
  const { watching, measured } = stage;
  await scene(stage, 'three stations are named; the same again changes nothing, others are refused', async () => {
    const began = watching.now();
    const named = await command(stage, ['halon', 'station', ...stations]);
    await watching.until('a station coordinates', 60_000, async () => (await coordinatorNow(stage)) !== undefined || undefined);
    measured('stations named → one coordinates', watching.now() - began);
    return [
      ...named.slice(0, 2),
      ...(await command(stage, ['halon', 'station', ...[...stations].reverse()], { says: /in the group already/ })).slice(0, 2),
      ...(await command(stage, ['halon', 'station', stations[0]!, apps[0]!], {
        code: 1,
        says: /app1\S* is new; ts2\S*, ts3\S* are missing/,
      })),
    ];
  });
}

/** How long another coordinator may take: the lease of 30 s, a tenth more, and 5 s until that is seen. */
const failOverMs = 38_000;

type Coordinator = NonNullable<Awaited<ReturnType<typeof stationsNow>>['coordinator']>;

/**
 * Waits until another station coordinates, and acts, under the next epoch. Throws when that takes too long, or when two
 * stations act at once.
 */
async function nextAfter(stage: Stage, before: Coordinator): Promise<Coordinator> {
  const began = stage.watching.now();
  return stage.watching.until('another coordinates', failOverMs, async () => {
    const now = await coordinatorNow(stage);
    const acting = (await services(stage)).filter(({ type, state }) => type === 'recovery-coordinator' && state === 'online');
    if (acting.length > 1) throw new Error(`${acting.map(({ host, instance }) => `${host} (${instance})`).join(' and ')} act at once`);
    if (!now || now.epoch === before.epoch || acting[0]?.host !== now.host) return undefined;
    if (now.host === before.host) throw new Error(`${now.host} coordinates again, ${stage.watching.now() - began} ms after it was lost`);
    return now;
  });
}

/** The coordinator itself reports that it acts. */
const acts = (stage: Stage, { host, epoch }: Coordinator) =>
  command(stage, ['halon', 'service', 'recovery-coordinator', 'check', '-n', host], { says: new RegExp(`^acts under epoch ${epoch},`) });

async function killCoordinator(stage: Stage): Promise<void> {
  const { cast, watching, measured } = stage;
  const before = (await coordinatorNow(stage))!;
  await scene(
    stage,
    `the agent of ${before.host}, which coordinates, is killed: another takes over once its lease of 30 s has run out`,
    async () => {
      cast.killAgent(before.host);
      const began = watching.now();
      const after = await watching.until('another coordinates', failOverMs + 10_000, async () => {
        const now = await coordinatorNow(stage);
        return now !== undefined && now.epoch !== before.epoch ? now : undefined;
      });
      const tookMs = watching.now() - began;
      measured('coordinator killed → the next epoch acts', tookMs);
      if (tookMs > failOverMs) throw new Error(`it took ${tookMs} ms until another coordinates, and may take ${failOverMs}`);
      if (after.host === before.host || after.epoch !== before.epoch + 1)
        throw new Error(`${after.host} coordinates, epoch ${after.epoch}`);
      await watching.until(`${before.host} is down`, 30_000, async () => (await statusOf(stage, before.host)) === 'down' || undefined);
      return [...(await command(stage, ['halon', 'station'])), ...(await acts(stage, after))];
    },
  );
  await scene(stage, 'it comes back, and coordinates no more', async () => {
    const { epoch } = (await coordinatorNow(stage))!;
    await startAgents(stage, [before.host]);
    await watching.until(`${before.host} is up`, 30_000, async () => (await statusOf(stage, before.host)) === 'up' || undefined);
    const now = (await coordinatorNow(stage))!;
    if (now.epoch !== epoch || now.host === before.host) throw new Error(`${now.host} coordinates, epoch ${now.epoch}`);
    return [`${now.host} coordinates, epoch ${now.epoch}`];
  });
}

/** A host whose way to Muster fails while the host does not: the others hear it, so that it is not given up. */
async function cutUplink(stage: Stage): Promise<void> {
  const { cast, watching, measured } = stage;
  const { uplink } = cast.site;
  if (!uplink) return;
  const before = (await coordinatorNow(stage))!;
  await scene(
    stage,
    `the uplink of ${before.host}, which coordinates now, is cut: another takes over, and as the others hear it, it stays suspect`,
    async () => {
      await uplink(before.host, 'down');
      const began = watching.now();
      const after = await nextAfter(stage, before);
      measured('uplink of the coordinator cut → the next epoch acts', watching.now() - began);
      const why = await command(stage, ['explain', 'node', before.host], { says: /2 of 3 hear it/ });
      return [...(await command(stage, ['halon', 'station'])), ...why.slice(0, 3), ...(await acts(stage, after))];
    },
  );
  await scene(stage, 'the uplink is mended', async () => {
    const { epoch } = (await coordinatorNow(stage))!;
    const began = watching.now();
    await uplink(before.host, 'up');
    await watching.until(`${before.host} is up`, 60_000, async () => (await statusOf(stage, before.host)) === 'up' || undefined);
    measured('uplink mended → its node up', watching.now() - began);
    const now = (await coordinatorNow(stage))!;
    if (now.epoch !== epoch || now.host === before.host) throw new Error(`${now.host} coordinates, epoch ${now.epoch}`);
    return [`${now.host} coordinates, epoch ${now.epoch}`];
  });
}
