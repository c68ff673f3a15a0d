import type { Invariant } from '../invariant.ts';
import { ServiceRows } from '../service-rows.ts';

/**
 * Two services of one name on a node are what a name is there to prevent; and one that nobody has any more must not
 * keep others out.
 */
export const serviceNames: Invariant = {
  name: 'a-service-name-has-one-holder',
  says: 'on a node each service name is had by one service at the most, in the row of the name as in the row of the service, from its registration to its end',
  begin: ({ violated }) => {
    const rows = new ServiceRows();
    return {
      committed: (changes) => {
        if (!rows.take(changes)) return;
        const holders = new Map<string, string>();
        for (const { node, name, type } of rows.services.values()) {
          const at = `${node}/${name}`;
          const other = holders.get(at);
          if (other !== undefined) violated(`on ${node.slice(0, 8)} both ${other} and ${type} are called ${name}`);
          holders.set(at, type);
          if (rows.names.get(at)?.type !== type)
            violated(`${type} runs on ${node.slice(0, 8)}, and ${name} is of ${rows.names.get(at)?.type}`);
        }
        for (const [at, { type }] of rows.names)
          if (holders.get(at) !== type) violated(`${at} is of ${type}, which is not registered there by that name`);
      },
    };
  },
};

/** Whoever has something alone may break it for others, and whoever is no more must not keep it. */
export const serviceResources: Invariant = {
  name: 'an-exclusive-resource-has-one-holder',
  says: 'of the services that hold a resource of a zone either all do so with others, or there is but one; who holds it is said alike by the row of the resource and by the rows of the services, and whoever is registered no more holds nothing',
  begin: ({ violated }) => {
    const rows = new ServiceRows();
    return {
      committed: (changes) => {
        if (rows.take(changes)) for (const fault of faultsOf(rows)) violated(fault);
      },
    };
  },
};

function* faultsOf({ services, resources }: ServiceRows): Generator<string> {
  const held = new Map<string, string>();
  for (const { zone, node, type, resources } of services.values())
    for (const { kind, id, hold } of resources) held.set(`${zone}/${kind}:${id} ${node}/${type}`, hold);
  for (const [at, { exclusive, holders }] of resources) {
    if (exclusive && holders.length > 1) yield `${at} is held alone by ${holders.map(({ type }) => type).join(' and ')}`;
    for (const { node, type } of holders) {
      const hold = held.get(`${at} ${node}/${type}`);
      if (hold !== (exclusive ? 'exclusive' : 'shared'))
        yield `${at} is said to be held by ${type} of ${node}, whose row says ${hold ?? 'no such thing'}`;
      held.delete(`${at} ${node}/${type}`);
    }
  }
  for (const one of held.keys()) yield `${one} holds it, and is not among those who do`;
}
