import type { World } from '../world/world.ts';

/** Whether an environment of the version before has been seen: what came since it does not know. */
export function metOld(world: () => World): () => boolean {
  let met = false;
  return () => {
    met ||= world()?.cluster.environments.some(({ version }) => version === 'previous') ?? false;
    return met;
  };
}
