import { isManaged } from '../../../lib/processes/process.ts';
import type { Invariant } from './invariant.ts';
import { processSteps } from './process-rows.ts';

/** Muster is not in charge of an unmanaged process: it may come and go as it likes. */
export const leftAlone: Invariant = {
  name: 'unmanaged-processes-are-left-alone',
  says: 'an unmanaged process is never stopped by Muster, started only where an operator ordered that, once for each order, and removed only while it does not run',
  begin: ({ violated }) => {
    const ordered = new Map<string, number>();
    const started = new Map<string, Set<number>>();
    const unmanaged = new Set<string>();
    return {
      asked: ({ path }) => {
        const [, fid] = /\/mero\/processes\/([^/]+)\/start$/.exec(path) ?? [];
        if (fid) ordered.set(decodeURIComponent(fid), (ordered.get(decodeURIComponent(fid)) ?? 0) + 1);
      },
      committed: (changes) => {
        for (const { fid, before, after } of processSteps(changes)) {
          if (after && !isManaged(after)) unmanaged.add(fid);
          if (before && !after && !isManaged(before) && before.state.is !== 'offline' && before.state.is !== 'failed')
            violated(`${fid} was removed while it was ${before.state.is}`);
        }
      },
      ran: ({ host, process, does, start }) => {
        if (!unmanaged.has(process)) return;
        if (does === 'stop') return violated(`${process} on ${host} was stopped, and it is unmanaged`);
        const acted = started.get(process) ?? new Set();
        started.set(process, acted.add(start ?? 0));
        if (acted.size > (ordered.get(process) ?? 0)) violated(`${process} on ${host} was started, and nobody had ordered that`);
      },
    };
  },
};
