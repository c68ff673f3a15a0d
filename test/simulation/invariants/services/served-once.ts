import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Invariant } from '../invariant.ts';

/** How long an agent that is alone waits before it starts again what has ended, in ms. */
const retryMs = 5_000;

/**
 * One of a type runs on a node at a time; and what was started once and has ended is started under another name, unless
 * nobody could order that.
 */
export const servedOnce: Invariant = {
  name: 'a-service-runs-once-on-its-host',
  says: 'an agent starts no service of a type while another instance of it runs on its host, and no instance twice within five seconds',
  begin: ({ kernel, violated }) => {
    const started = new Map<string, EpochMs>();
    return {
      served: ({ host, service, instance, does, runs }) => {
        if (does !== 'start') return;
        if (runs !== undefined) violated(`${service} was started on ${host} as ${instance}, where ${runs} runs`);
        const once = `${host} ${service} ${instance}`;
        if (kernel.now - (started.get(once) ?? Number.NEGATIVE_INFINITY) < retryMs)
          violated(`${service} was started on ${host} as ${instance} a second time`);
        started.set(once, kernel.now);
      },
    };
  },
};

/** A host has the last word on what runs on it: nothing that Muster says changes its configuration. */
export const servedAsAllowed: Invariant = {
  name: 'a-host-runs-only-what-it-allows',
  says: 'an agent starts no service of a type that the configuration of its host does not allow, whoever has ordered it',
  begin: ({ violated }) => ({
    served: ({ host, service, instance, does, mayRun }) => {
      if (does === 'start' && mayRun !== true) violated(`${service} was started on ${host} as ${instance}, where its type is not allowed`);
    },
  }),
};

/** A message may do something each time that it is taken. */
export const givenOnce: Invariant = {
  name: 'a-message-is-given-once',
  says: 'a service is given each message that was sent to it once at the most',
  begin: ({ violated }) => {
    const given = new Set<string>();
    return {
      given: ({ host, service, instance, ask }) => {
        const once = `${host} ${service} ${ask}`;
        if (given.has(once)) violated(`${service} (${instance}) on ${host} was given ${ask} a second time`);
        given.add(once);
      },
    };
  },
};
