import type { Answered } from '../watching.ts';
import type { World } from '../world/world.ts';

/** Whether an environment of the version before has been seen: what came since it does not know. */
export function metOld(world: () => World): () => boolean {
  let met = false;
  return () => {
    met ||= world()?.cluster.environments.some(({ version }) => version === 'previous') ?? false;
    return met;
  };
}

/** Whether an answer says that there is no such route, as the version before does of one that came with this one. */
export const knowsNoRoute = ({ body }: Pick<Answered, 'body'>): boolean => /"urn:muster:problem:(not-found|wrong-method)"/.test(body);
