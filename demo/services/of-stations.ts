import { apps, stations } from './hosts.ts';
import { command, type Stage, scene, startAgents, stationsNow, statusOf } from './stage.ts';

/** Three stations, and what becomes of the one that coordinates; `isShort` leaves out what waits for a lease of 30 s to run out. */
export async function playStations(stage: Stage, isShort: boolean): Promise<void> {
  await name(stage);
  if (isShort) return;
  await killCoordinator(stage);
}

const coordinatorNow = async (stage: Stage) => (await stationsNow(stage)).coordinator;

async function name(stage: Stage): Promise<void> {
  const { watching, measured } = stage;
  await scene(stage, 'three stations are named; the same again changes nothing, others are refused', async () => {
    const began = watching.now();
    const named = await command(stage, ['halon', 'station', ...stations]);
    await watching.until('somebody coordinates', 60_000, async () => (await coordinatorNow(stage)) !== undefined || undefined);
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
      measured('coordinator killed → the next epoch', tookMs);
      if (tookMs > failOverMs) throw new Error(`it took ${tookMs} ms until another coordinates, and may take ${failOverMs}`);
      if (after.host === before.host || after.epoch !== before.epoch + 1)
        throw new Error(`${after.host} coordinates, epoch ${after.epoch}`);
      await watching.until(`${before.host} is down`, 30_000, async () => (await statusOf(stage, before.host)) === 'down' || undefined);
      return [...(await command(stage, ['halon', 'station']))];
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
