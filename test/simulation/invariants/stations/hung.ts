import { Hears, isHeardIn } from '../../../../events/reported/hears.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { defaultZone } from '../../../../lib/zones/zone.ts';
import { heardForMs } from '../../../../programs/agent/station/rounds.ts';
import type { SimulatedHost } from '../../world/host.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

/** An answer counts for a while, and the word that goes by it is on its way for a moment. */
const countsMs = heardForMs + 2_000;
/** How long a station may take to be told of another who has an index, in ms. */
const toldWithinMs = 60_000;

/** A host that hangs serves nobody; while it counts as heard nobody gives it up. */
export const whoHangsIsNotHeard: Invariant = {
  name: 'who-hangs-is-not-heard',
  says: 'no station says that it hears a host whose agent has stood still for longer than an answer counts, although its kernel takes connections; copies of machines aside',
  begin: ({ world, kernel, violated }) => {
    /** Who has an index of a zone, and since when. */
    const indexed = new Map<string, { readonly fqdn: string; readonly since: EpochMs }>();
    const hungAt = (index: string): SimulatedHost | undefined => {
      const known = indexed.get(index);
      if (!known || known.since > kernel.now - toldWithinMs) return undefined;
      const host = world().hosts.find(({ fqdn }) => fqdn === known.fqdn);
      const hangs = host?.hungSince !== undefined && host.hungSince < kernel.now - countsMs && !host.wasCloned;
      return hangs ? host : undefined;
    };
    return {
      committed: (changes) => {
        for (const { after } of nodeSteps(changes)) {
          if (after?.index === undefined) continue;
          const index = `${after.zone} ${after.index}`;
          if (indexed.get(index)?.fqdn !== after.fqdn) indexed.set(index, { fqdn: after.fqdn, since: kernel.now });
        }
      },
      asked: ({ path, sent }) => {
        const [, node] = /^\/nodes\/([^/]+)\/heartbeat$/.exec(path) ?? [];
        const hears = node === undefined ? undefined : Hears.safeParse((sent as { readonly hears?: unknown } | undefined)?.hears).data;
        if (!hears) return;
        const station = world().hosts.find((host) => world().nodeOf(host) === node);
        if (!station || station.wasCloned) return;
        for (let index = 0; index < hears.size; index++) {
          const host = isHeardIn(hears, index) ? hungAt(`${station.zone ?? defaultZone} ${index}`) : undefined;
          if (host) violated(`${station.name} says that it hears ${host.name}, which has hung for ${kernel.now - host.hungSince!} ms`);
        }
      },
    };
  },
};
