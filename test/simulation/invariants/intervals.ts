import type { Invariant } from './invariant.ts';

const callOf = /^\/nodes\/[^/]+\/(heartbeat|up)$/;
/** 10 s, a tenth more or less: no simulated world has so many nodes that they are to be slower. */
const [leastMs, mostMs] = [9_000, 11_000];

/** A fleet beats as often as it is told: too often is a flood, too seldom costs leases. */
export const intervals: Invariant = {
  name: 'nodes-are-told-when-to-beat',
  says: 'every answer to a heartbeat or an acknowledged boot names the next heartbeat, a tenth around the interval',
  begin: ({ violated }) => ({
    answered: ({ path, status, body }) => {
      const [, what] = callOf.exec(path) ?? [];
      if (!what || status !== 200) return;
      const { nextMs } = JSON.parse(body) as { nextMs?: number };
      if (nextMs === undefined || nextMs < leastMs || nextMs > mostMs) violated(`${path} was answered to come again in ${nextMs} ms`);
    },
  }),
};
