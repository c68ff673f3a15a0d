import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import type { Invariant } from './invariant.ts';

/** Once faults have ended, whoever is there is up. */
export const everyoneUp: Invariant = {
  name: 'everyone-is-up-at-the-end',
  says: 'a host that runs its agent and can reach Muster is a node that is up, once faults have ended',
  begin: ({ world }) => ({
    unrest: () =>
      world().hosts.flatMap((host) => {
        const id = world().nodeOf(host);
        const row = id && world().cluster.store.rows.rows.get(nameOf(keyOf({ noun: 'node', id })));
        const status = row && !row.gone ? (row.body as Node).status : 'nowhere';
        return status === 'up' ? [] : [`${host.name} is ${status}: ${row?.because ?? 'it never joined'}`];
      }),
  }),
};
