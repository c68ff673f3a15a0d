import { isHalon, isManaged, type MeroProcess, processId } from '../../../../lib/mero/processes/process.ts';
import { storageZone } from '../../world/storekeeper.ts';
import type { Invariant } from '../invariant.ts';
import { Clusters, processSteps } from '../process-rows.ts';

/** Muster is not in charge of an unmanaged process: it may come and go as it likes. */
export const leftAlone: Invariant = {
  name: 'unmanaged-processes-are-left-alone',
  says: 'an unmanaged process is never stopped by Muster, started only where an operator ordered that, once for each order, and removed only while it does not run',
  begin: ({ violated }) => {
    const clusters = new Clusters();
    const ordered = new Map<string, number>();
    const started = new Map<string, Set<number>>();
    const unmanaged = new Set<string>();
    return {
      asked: ({ path }) => {
        const [, zone, fid] = /\/zones\/([^/]+)\/mero\/processes\/([^/]+)\/start$/.exec(path) ?? [];
        if (zone === undefined) return;
        const id = processId({ zone, fid: decodeURIComponent(fid!) });
        ordered.set(id, (ordered.get(id) ?? 0) + 1);
      },
      committed: (changes) => {
        for (const { id, before, after } of processSteps(changes)) {
          if (after && !isManaged(after)) unmanaged.add(id);
          if (
            before &&
            !after &&
            isUnmanaged(before) &&
            clusters.has(before) &&
            before.state.is !== 'offline' &&
            before.state.is !== 'failed'
          )
            violated(`${id} was removed while it was ${before.state.is}`);
        }
        clusters.take(changes);
      },
      ran: ({ host, process, does, start }) => {
        const id = processId({ zone: storageZone, fid: process });
        if (!unmanaged.has(id)) return;
        if (does === 'stop') return violated(`${process} on ${host} was stopped, and it is unmanaged`);
        const acted = started.get(id) ?? new Set();
        started.set(id, acted.add(start ?? 0));
        if (acted.size > (ordered.get(id) ?? 0)) violated(`${process} on ${host} was started, and nobody had ordered that`);
      },
    };
  },
};

/** Halon's own is the agent of its host, and goes with that. */
const isUnmanaged = (process: MeroProcess): boolean => !isManaged(process) && !isHalon(process);
