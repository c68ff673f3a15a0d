import { MusterError } from '../../../../lib/core/errors.ts';
import type { Invariant } from '../invariant.ts';

/** What is thrown of a plan that is too large, or of one that is never made. */
const codes = new Set(['table.too-large', 'plan.too-large', 'plan.asks-again']);

/** Such a plan is made again by every sweep, and no node of its zone is lost or comes back any more. */
export const fits: Invariant = {
  name: 'a-plan-that-cannot-be-committed-is-never-made',
  says: 'what is due in a zone at once is cut into plans that one commit takes, however few rows that takes',
  begin: ({ violated }) => ({
    threw: (by, error) => {
      if (error instanceof MusterError && codes.has(error.code)) violated(`${by} threw ${error.code}: ${error.message}`);
    },
  }),
};
