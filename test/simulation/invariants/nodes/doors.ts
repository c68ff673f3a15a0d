import type { Invariant } from '../invariant.ts';

/** A transient failure has a name; what nobody foresaw is a fault of ours. */
export const doors: Invariant = {
  name: 'no-call-meets-the-unexpected',
  says: 'whatever a machine or a person asks, and whatever fails meanwhile, no door fails in a way that nobody foresaw',
  begin: ({ violated }) => ({
    answered: ({ method, path, status, body }) => {
      if (status === 500) violated(`${method} ${path}: ${body}`);
    },
    logged: (by, code, { detail, stack }) => {
      if (code === 'door.failed') violated(`${by}: ${detail} ${stack}`);
    },
  }),
};
