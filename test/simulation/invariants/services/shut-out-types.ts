import type { Invariant } from '../invariant.ts';
import { isOrdered, serviceSteps, toldService } from '../service-rows.ts';
import { ShutOuts } from './shut-outs.ts';

/** A schema by which one check ran out of time would take as long the next time, and the time after. */
export const shutOutTypes: Invariant = {
  name: 'a-type-that-is-shut-out-takes-nothing-new',
  says: 'once a check by the schema of a type has run out of time, nobody starts or reconfigures a service of the type until it is put again; what runs goes on',
  begin: ({ kernel, violated }) => {
    const outs = new ShutOuts();
    return {
      committed: (changes) => {
        for (const step of serviceSteps(changes)) {
          const { before, after } = step;
          if (!after || !isOrdered(step) || !outs.isOut(after)) continue;
          if (before === undefined || after.start > before.start) violated(`${toldService(step)}, and its type is shut out`);
        }
        outs.take(changes, kernel.now);
      },
    };
  },
};
