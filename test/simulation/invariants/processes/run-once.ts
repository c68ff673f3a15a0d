import type { Invariant } from '../invariant.ts';

/** Two lives of one process would both take its endpoint and write its disks. */
export const runOnce: Invariant = {
  name: 'a-process-runs-once-on-its-host',
  says: 'an agent never starts a process that runs on its host already',
  begin: ({ violated }) => ({
    ran: ({ host, process, does, isAlive }) => {
      if (does === 'start' && isAlive) violated(`${process} was started on ${host}, where it runs`);
    },
  }),
};
