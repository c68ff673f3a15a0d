import type { Service } from '../../../../lib/services/service.ts';
import type { Invariant } from '../invariant.ts';
import { isOrdered, ServiceRows, serviceSteps, toldService } from '../service-rows.ts';

/** The relation of the types that have one here, and the type that it leads to. */
const [relation, needs] = ['beside', 'greeter'];

/** Whoever is told that a service was started relies on what it needs having been there. */
export const neededIsThere: Invariant = {
  name: 'what-a-service-needs-is-there-when-it-is-ordered',
  says: 'when somebody has a service run, each service that its configuration names by a relation of its type is registered in its zone at that moment, and nobody is stopping it',
  begin: ({ violated }) => {
    const rows = new ServiceRows();
    return {
      committed: (changes) => {
        rows.take(changes);
        for (const step of serviceSteps(changes)) {
          const { before, after } = step;
          if (!after || !isOrdered(step) || (before && after.start === before.start)) continue;
          for (const host of namedIn(after)) {
            const there = [...rows.services.values()].find((one) => one.type === needs && one.host === host && one.zone === after.zone);
            if (!there || there.stopping)
              violated(`${toldService(step)}, and ${needs} on ${host} is ${there ? 'being stopped' : 'not registered'}`);
          }
        }
      },
    };
  },
};

function namedIn({ configuration }: Service): readonly string[] {
  const value = (JSON.parse(configuration) as Readonly<Record<string, unknown>>)[relation!];
  return value === undefined ? [] : ([value].flat() as string[]);
}
