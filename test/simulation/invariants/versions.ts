import type { World } from '../world/world.ts';

/** Whether an environment of the version before has been seen: it knows neither who calls nor who is let in. */
export function metOld(world: () => World): () => boolean {
  let met = false;
  return () => {
    met ||= world()?.cluster.environments.some(({ version }) => version === 'previous') ?? false;
    return met;
  };
}
