import type { ReplyOf } from '../../../lib/api/route.ts';
import { contract } from '../../../lib/contract.ts';
import type { Means } from '../stage.ts';
import type { Cast } from './cast.ts';

/**
 * The means of scenes: the cast, how many systems the first two servers have, and a pause in which a person can look at
 * what has happened before the next scene.
 */
export type Stage = Means & {
  readonly cast: Cast;
  readonly systems: number;
  pause(next: string): Promise<void>;
  /** A pause within a scene, in ms: what comes at once is too fast for a person. */
  breathe(ms: number): Promise<void>;
};

/** A client system as Muster shows it in lists. */
export type Listed = ReplyOf<typeof contract.listSystems>['items'][number];

/** All client systems by name. Throws when they cannot be read. */
export async function systemsNow({ api }: Pick<Cast, 'api'>): Promise<ReadonlyMap<string, Listed>> {
  const found = new Map<string, Listed>();
  for (let cursor: string | undefined; ; ) {
    const page = await api(contract.listSystems, { query: { limit: 200, ...(cursor !== undefined && { cursor }) } });
    if (!page.ok) throw new Error(`the client systems cannot be read: ${page.problem.detail}`);
    for (const one of page.body.items) found.set(one.fqdn, one);
    cursor = page.body.next;
    if (cursor === undefined) return found;
  }
}
