import type { Published } from '../../../events/catalogue.ts';
import type { Invariant } from './invariant.ts';
import { skewMs } from './rows.ts';

type Told = Extract<Published, { type: 'system.changed' | 'content.changed' }>;

/** A manifest that misses a change is wrong for ever, and one that is told twice is built twice. */
export const serverChanges: Invariant = {
  name: 'a-change-of-a-server-is-told-once',
  says: 'whatever was changed on a Uyuni server whose agent reports that is published once, or anything of its kind is said to have changed since; nothing is published that was not changed; in the end nothing is missing of a server whose node is there',
  begin: ({ violated, world }) => {
    const told = new Set<string>();
    /** When anything was last said to have changed on a server, by its name. */
    const anything = new Map<string, number>();
    const take = ({ type, data }: Told, at: number): void => {
      const things = type === 'system.changed' ? data.systems : data.things;
      if (things === undefined) anything.set(data.fqdn, at);
      for (const { number } of things ?? []) {
        const name = `${number} on ${data.fqdn}`;
        const server = world().hosts.find(({ fqdn }) => fqdn === data.fqdn)?.uyuni;
        if (told.has(name)) violated(`${name} is said to have changed once more`);
        if (!server?.changed.some((one) => one.number === number)) violated(`${name} is said to have changed, and has not`);
        told.add(name);
      }
    };
    return {
      committed: (changes) => {
        for (const { at, after } of changes)
          if (after.key.pk.startsWith('changes#')) for (const event of after.events) take(event as Told, at);
      },
      unrest: () =>
        world()
          .hosts.filter(({ state, isOn, wasCloned }) => isOn && state?.phase === 'member' && !state.quarantined && !wasCloned)
          .flatMap(({ uyuni }) => {
            if (!uyuni) return [];
            const since = anything.get(uyuni.fqdn) ?? Number.NEGATIVE_INFINITY;
            return uyuni.changed
              .filter(({ number, at }) => at > since + skewMs && !told.has(`${number} on ${uyuni.fqdn}`))
              .map(({ number }) => `${number} has changed on ${uyuni.fqdn}, and nobody is told`);
          }),
    };
  },
};
