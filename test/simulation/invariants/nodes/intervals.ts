import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';
import { stationSteps } from '../station-rows.ts';

const callOf = /^\/nodes\/([^/]+)\/(heartbeat|up)$/;
/** 10 s, a tenth more or less: no simulated world has so many nodes that they are to be slower. */
const [leastMs, mostMs] = [9_000, 11_000];
/** A station beats each 7.5 s, and each 2 s while another coordinator may have to follow; a tenth less, too. */
const stationLeastMs = 1_800;

/** A fleet beats as often as it is told: too often is a flood, too seldom costs leases. */
export const intervals: Invariant = {
  name: 'nodes-are-told-when-to-beat',
  says: 'every answer to a heartbeat or an acknowledged boot names the next heartbeat, a tenth around the interval, and sooner only where its host is a station, or was',
  begin: ({ violated }) => {
    const stations = new Set<string>();
    const hosts = new Map<string, string>();
    return {
      committed: (changes) => {
        for (const { after } of stationSteps(changes)) for (const host of after.hosts) stations.add(host);
        for (const { id, after } of nodeSteps(changes)) if (after) hosts.set(id, after.fqdn);
      },
      answered: ({ path, status, body }) => {
        const [, node = '', what] = callOf.exec(path) ?? [];
        if (!what || status !== 200) return;
        const { nextMs } = JSON.parse(body) as { nextMs?: number };
        const least = stations.has(hosts.get(node) ?? '') ? stationLeastMs : leastMs;
        if (nextMs === undefined || nextMs < least || nextMs > mostMs) violated(`${path} was answered to come again in ${nextMs} ms`);
      },
    };
  },
};
