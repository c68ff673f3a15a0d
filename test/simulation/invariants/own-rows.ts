import { grantsOf } from '../../../infra/grants.ts';
import { type FunctionWiring, wiring } from '../../../infra/wiring.ts';
import { leadOf } from '../../../lib/ports/table/keys.ts';
import { namedResources } from '../../support/granted-resources.ts';
import { mayWrite, type Statement } from '../../support/iam.ts';
import type { Invariant } from './invariant.ts';

/** What the role of each function may do, as the stacks are given it. */
const roles: ReadonlyMap<string, readonly Statement[]> = new Map(
  Object.entries<FunctionWiring<string>>({ ...wiring.functions, ...wiring.direct }).map(([name, fn]) => [
    name,
    grantsOf(fn, namedResources).map(({ actions, conditions }) => ({ Action: actions, ...(conditions && { Condition: conditions }) })),
  ]),
);

/** IAM refuses a function the rows of others; what it needs itself it must be let write. */
export const ownRows: Invariant = {
  name: 'functions-write-what-is-theirs',
  says: 'on AWS no function writes to a partition that the conditions of its role do not let it write to',
  begin: ({ violated }) => {
    const asked = new Set<string>();
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const { by, after } of changes) {
          const name = by.slice(0, by.lastIndexOf('-'));
          const role = roles.get(name);
          const about = `${name} ${leadOf(after.key.pk)}`;
          // The embedded host is all functions at once; nobody asks IAM there.
          if (!role || asked.has(about)) continue;
          asked.add(about);
          if (!mayWrite(role, [after.key.pk])) violated(`${by} wrote ${after.key.pk}, which is not of ${name}`);
        }
      },
    };
  },
};
