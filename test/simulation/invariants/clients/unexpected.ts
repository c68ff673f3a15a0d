import { MusterError } from '../../../../lib/core/errors.ts';
import type { Invariant } from '../invariant.ts';

/** A transient failure has a name, and so has poison; whatever else is thrown was thought of by nobody. */
export const unexpected: Invariant = {
  name: 'functions-fail-by-weather-alone',
  says: 'what a function throws, or puts a message off or aside for, is a transient failure or poison by name',
  begin: ({ violated }) => ({
    threw: (by, error) => {
      if (error instanceof MusterError) return;
      violated(`${by} threw ${error instanceof Error ? error.stack : String(error)}`);
    },
    logged: (by, code, { reason, detail, id }) => {
      const isFailure = code === 'report.later' || code === 'report.dead';
      if (isFailure && reason === 'unexpected') violated(`${by} put ${id} off: ${detail}`);
    },
  }),
};
