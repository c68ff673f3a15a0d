import { isSame } from '../../../lib/core/decision.ts';
import { instanceOf, type Service } from '../../../lib/services/service.ts';
import type { SimulatedHost } from '../world/host.ts';
import type { Invariant } from './invariant.ts';
import { standingServices } from './service-rows.ts';

const attemptsMax = 5;

/**
 * The row may be right about a service that is dead, and a machine may run what nobody wants: only both together are
 * what an operator asked for.
 */
export const servicesAsWanted: Invariant = {
  name: 'services-are-as-wanted-at-the-end',
  says: 'once faults have ended, each service that is registered is online, and on its host runs that instance of it with that pid and that configuration, or the one that it is shown to have drifted to, or it has failed in spite of every attempt, or because its host does not allow its type, and does not run; and no host runs what is not registered there; one that drifted is of a type without a rule for that, was restored as often as may be, or has drifted to what does not follow its schema',
  begin: ({ world }) => ({
    unrest: () => {
      const services = standingServices(world());
      const hosts = world().hosts.filter((host) => host.services);
      const unlike = services.flatMap((service) => {
        const host = hosts.find((one) => one.fqdn === service.host);
        const what = host ? whyUnlike(service, host) : 'is on a host that nobody knows';
        return what === undefined ? [] : [`${service.type} on ${host?.name ?? service.host} ${what}`];
      });
      return [...unlike, ...strangersOn(hosts, services)];
    },
  }),
};

function whyUnlike(service: Service, { services, allowed }: SimulatedHost): string | undefined {
  const { type, state, running, attempts = 0, retryAt } = service;
  const configuration = service.drift?.configuration ?? service.configuration;
  const runs = services!.running.get(type);
  if (state.is === 'failed' && retryAt === undefined && (attempts >= attemptsMax || !allowed.has(type)))
    return runs ? `has failed, and runs as ${runs.instance}` : undefined;
  if (state.is !== 'online') return `is ${state.is} after ${attempts} attempts`;
  if (!running) return 'is online, and nobody knows which life that is';
  const missed = unfollowed(service);
  if (missed !== undefined) return missed;
  if (isInside(type)) return undefined;
  if (!runs) return `is online as ${instanceOf(service)}, and does not run`;
  if (runs.instance !== instanceOf(service)) return `is online as ${instanceOf(service)}, and runs as ${runs.instance}`;
  if (runs.life.pid !== running.pid) return `is online as pid ${running.pid}, and runs as ${runs.life.pid}`;
  return isSame(JSON.parse(runs.configuration), JSON.parse(configuration))
    ? undefined
    : `is to run with ${configuration}, and runs with ${runs.configuration}`;
}

/**
 * The rule of its type that was not followed, where it has drifted: the tones that the schema of the drifting types
 * takes are words.
 */
function unfollowed({ type, drift, restored = 0 }: Service): string | undefined {
  if (!drift) return undefined;
  if (type === 'restore' && restored < attemptsMax) return `has drifted, and was restored ${restored} times`;
  const { tone } = JSON.parse(drift.configuration) as { readonly tone?: unknown };
  return type === 'accept' && typeof tone === 'string' ? `has drifted to what its type accepts: ${drift.configuration}` : undefined;
}

/** What the agent does itself has no process. */
const isInside = (type: string): boolean =>
  ['statistics', 'm0d', 'supervisor', 'recovery-supervisor', 'recovery-coordinator'].includes(type);

/** What hosts run that is registered nowhere. */
const strangersOn = (hosts: readonly SimulatedHost[], services: readonly Service[]): string[] =>
  hosts.flatMap(({ name, fqdn, services: here }) =>
    [...here!.running].flatMap(([type, { instance }]) =>
      services.some((service) => service.host === fqdn && service.type === type)
        ? []
        : [`${name} runs ${type} (${instance}), which is not registered`],
    ),
  );
