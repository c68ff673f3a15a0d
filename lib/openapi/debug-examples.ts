import type { Fqdn, NodeId, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { at, type Examples, fqdn, id } from './example.ts';

const zone = 'storage' as ZoneName;
const because = 'ts1.acme.org, the first by name that is heard, coordinates';

/** Examples of the answers of the routes that debug Muster itself. */
export const debugExamples = {
  listQueues: {
    reply: {
      queues: [
        { queue: 'heartbeats', messages: 0 },
        { queue: 'reports', messages: 2, oldestSentAt: at, oldestAgeMs: 120 },
      ],
      deadLetters: 0,
    },
  },
  listRules: {
    reply: {
      items: [
        {
          type: 'rule-sweep' as ServiceTypeName,
          node: 'muster' as const,
          consumes: 'the schedule',
          does: 'delivers time to due rows, and plans zones',
          counted: { since: at, handled: 86_400, failed: 0, lastAt: at },
          metric: 'AWS/Lambda Invocations and Errors of the function sweep',
          check: { exit: 0 as const, says: ['the last sweep began 1 s ago (limit 30 s)', 'no dead letters'] },
        },
      ],
    },
  },
  debugZone: {
    reply: {
      zone,
      now: at,
      sweep: { everyMs: 5_000, sweptAt: at, lateMs: 0 },
      stations: { zone, stations: [], quorum: { heard: 0, needed: 0, quorate: true }, epoch: 0 },
      due: { rows: 3, more: false, byNoun: { node: 2, process: 1 } },
      jobs: [{ job: 'levels', says: 'ONLINE, at level 1: waits for m0d on ssu1.acme.org', since: at }],
      decisions: [{ at, type: 'coordinator.elected', about: 'stations', because }],
    },
  },
  debugNode: {
    reply: {
      node: id as NodeId,
      host: fqdn as Fqdn,
      zone,
      status: 'up',
      because: 'it is ready',
      incarnation: 1,
      generation: 1,
      joinedAt: at,
      told: {
        revision: 7,
        releases: 0,
        news: 0,
        traces: ['services' as const],
        processes: [{ process: '0x7200000000000001:0x2d', goal: 'run', start: 1 }],
        services: [{ service: 'greeter', goal: 'run', instance: 'lz3k9w0g.2', asks: 0 }],
      },
      said: {
        boot: '5f2b1c',
        seq: 1_204,
        heardAt: at,
        table: { taken: '9c1e', now: '9c1e', asked: false },
        services: [{ service: 'greeter', state: 'online', instance: 'lz3k9w0g.2' }],
      },
    },
  },
  traceNode: {
    body: { subsystem: 'services' as const, on: true },
    reply: { done: true, because: 'an operator switched traces of services on', traces: ['services' as const] },
  },
} satisfies Partial<Examples>;
