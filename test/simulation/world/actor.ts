import type { What } from '../../../lib/clients/actions/routes.ts';
import { contract } from '../../../lib/contract.ts';
import type { ActionNumber, Fingerprint } from '../../../lib/core/ids.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf } from '../random.ts';
import { Person } from './people.ts';

const command = { do: 'command', script: '#!/bin/sh\n', user: 'root', group: 'root', timeoutSeconds: 60 } as const;
const whats: readonly What[] = [{ do: 'reboot' }, { do: 'reboot' }, { do: 'highstate', test: false }, { do: 'packages' }, command];
/** The most client systems that are named at once. */
const namedMax = 5;

/**
 * Somebody who acts on client systems, named or by a query, in calls that now and then are made twice or never end, and
 * who looks at what has become of it, and cancels some; in a world in which somebody does.
 */
export function actOnSome(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.acts) return;
  const person = new Person('actor', around, cluster, isOver);
  const numbers: ActionNumber[] = [];
  const some = (): What => oneOf(person.random, whats)!;
  const named = async (): Promise<void> => {
    const fps: Fingerprint[] = [];
    for (let left = between(person.random, 1, namedMax); left > 0; left--) {
      const fp = await person.someSystem('onboarded');
      if (fp) fps.push(fp as Fingerprint);
    }
    if (fps.length === 0) return;
    const reply = await person.ask(contract.actOnSystems, { body: { systems: [...new Set(fps)], action: some() } });
    if (reply?.action) numbers.push(reply.action);
  };
  const byQuery = async (): Promise<void> => {
    const found = await person.ask(contract.findSystems, { query: { q: 'status:onboarded', expect: 'yes', limit: 1 } });
    if (!found?.expect) return;
    const order = { query: 'status:onboarded', expect: found.expect, action: some() };
    for (let cursor: string | undefined; ; ) {
      const call = { body: { ...order, ...(cursor !== undefined && { cursor }) } };
      const reply = await person.ask(contract.actOnSystems, call);
      // What was done is done once, also where the same call comes again under another key.
      if (person.random() < 0.2) await person.ask(contract.actOnSystems, call);
      if (reply?.action) numbers.push(reply.action);
      cursor = reply?.next;
      if (cursor === undefined || person.random() < 0.1) return;
    }
  };
  const look = async (): Promise<unknown> => {
    const number = oneOf(person.random, numbers.slice(-5));
    return number && person.ask(contract.systemAction, { params: { number: String(number) } });
  };
  const cancel = async (): Promise<unknown> => {
    const number = numbers.at(-1);
    return number && person.ask(contract.cancelSystemAction, { params: { number: String(number) } });
  };
  person.work([named, named, byQuery, byQuery, look, look, cancel]);
}
