import { isSame } from '../../../../lib/core/decision.ts';
import { lateBecause } from '../../../../lib/ports/checks/in-place.ts';
import { instanceOf, type Service, serviceId } from '../../../../lib/services/service.ts';
import type { SimulatedHost } from '../../world/host.ts';
import type { Invariant } from '../invariant.ts';
import { serviceSteps, standingServices } from '../service-rows.ts';
import { ShutOuts } from './shut-outs.ts';

const attemptsMax = 5;

/**
 * The row may be right about a service that is dead, and a machine may run what nobody wants: only both together are
 * what an operator asked for.
 */
export const servicesAsWanted: Invariant = {
  name: 'services-are-as-wanted-at-the-end',
  says: 'once faults have ended, each service that is registered is online, and on its host runs that instance of it with that pid and that configuration, or the one that it is shown to have drifted to, or it has failed in spite of every attempt, or because its host does not allow its type, and does not run; and no host runs what is not registered there; one that drifted is of a type without a rule for that, was restored as often as may be, or has drifted to what does not follow its schema, or did so when its type was shut out or its check ran out of time',
  begin: ({ kernel, world }) => {
    const outs = new ShutOuts();
    /** The drifts that could not be accepted when they were said. */
    const excused = new Set<string>();
    return {
      committed: (changes) => {
        outs.take(changes, kernel.now);
        for (const { before, after, row } of serviceSteps(changes)) {
          if (!after?.drift || isSame(before?.drift, after.drift)) continue;
          const isLate = row.because.endsWith(`: ${lateBecause}`);
          if (isLate || outs.mayBeOut(after, kernel.now)) excused.add(driftOf(after));
        }
      },
      unrest: () => {
        const services = standingServices(world());
        const hosts = world().hosts.filter((host) => host.services);
        const unlike = services.flatMap((service) => {
          const host = hosts.find((one) => one.fqdn === service.host);
          const what = host ? whyUnlike(service, host, excused.has(driftOf(service))) : 'is on a host that nobody knows';
          return what === undefined ? [] : [`${service.type} on ${host?.name ?? service.host} ${what}`];
        });
        return [...unlike, ...strangersOn(hosts, services)];
      },
    };
  },
};

/** One drift of one service. */
const driftOf = (service: Service): string => `${serviceId(service)} ${JSON.stringify(service.drift)}`;

function whyUnlike(service: Service, { services, allowed }: SimulatedHost, isExcused: boolean): string | undefined {
  const { type, state, running, attempts = 0, retryAt } = service;
  const configuration = service.drift?.configuration ?? service.configuration;
  const runs = services!.running.get(type);
  if (state.is === 'failed' && retryAt === undefined && (attempts >= attemptsMax || !allowed.has(type)))
    return runs ? `has failed, and runs as ${runs.instance}` : undefined;
  if (state.is !== 'online') return `is ${state.is} after ${attempts} attempts`;
  if (!running) return 'is online, and nobody knows which life that is';
  const missed = unfollowed(service, isExcused);
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
 * takes are words. One that is excused could not be accepted, and its next word is awaited, however long.
 */
function unfollowed({ type, drift, restored = 0 }: Service, isExcused: boolean): string | undefined {
  if (!drift) return undefined;
  if (type === 'restore' && restored < attemptsMax) return `has drifted, and was restored ${restored} times`;
  const { tone } = JSON.parse(drift.configuration) as { readonly tone?: unknown };
  return type === 'accept' && !isExcused && typeof tone === 'string'
    ? `has drifted to what its type accepts: ${drift.configuration}`
    : undefined;
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
