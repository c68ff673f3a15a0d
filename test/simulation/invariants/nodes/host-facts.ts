import type { Host } from '../../../../lib/nodes/hosts/host.ts';
import type { Invariant } from '../invariant.ts';

/** A machine that got more memory is not to be planned for by what it had. */
export const hostFacts: Invariant = {
  name: 'facts-of-a-host-never-go-back',
  says: 'facts of a host are replaced only by those of a node-up that was received later',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const { before, after } of changes) {
        if (after.key.sk !== 'host' || !before || before.gone || after.gone) continue;
        const [was, is] = [before.body as Host, after.body as Host];
        if (is.at <= was.at) violated(`${after.key.pk} has facts of ${is.at} in the place of those of ${was.at} (${after.because})`);
      }
    },
  }),
};
