import type { SupervisorReport } from '../../../../events/reported/supervisor.ts';
import type { NodeId } from '../../../../lib/core/ids.ts';
import { type EpochMs, plusMs } from '../../../../lib/core/time.ts';
import type { NodeStatus } from '../../../../lib/nodes/node.ts';
import { newlyMissed } from '../../../../lib/services/missed.ts';
import { asksMax, instanceOf, type Service, serviceId, supervisorType } from '../../../../lib/services/service.ts';
import { isIn, type Missed, type WatchSet } from '../../../../lib/services/watch-set.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps, skewMs } from '../rows.ts';
import { ServiceRows, type ServiceStep, serviceSteps, standingServices, toldService } from '../service-rows.ts';
import { setSteps, setsIn } from './watch-sets.ts';

/** How long whoever takes in a report may rest on what it has read, in ms: the time that the function has. */
const takesMs = 20_000 + skewMs;

/** Whom a supervisor's word misses, by the id of the word: two machines with one folder may give two words one id. */
class Words {
  readonly #said = new Map<string, SupervisorReport[]>();

  /** Takes what was put into a queue. */
  take(body: string): void {
    if (!body.includes('"supervisor.missed"')) return;
    const report = JSON.parse(body) as Partial<SupervisorReport>;
    if (report.id === undefined || report.type !== 'supervisor.missed') return;
    this.#said.set(report.id, [...(this.#said.get(report.id) ?? []), report as SupervisorReport]);
  }

  /** The words by which a service was asked in a commit; none where nobody asked it, or somebody else. */
  behind({ before, after }: ServiceStep): readonly SupervisorReport[] {
    const known = new Set(before?.asks.map(({ id }) => id));
    return (after?.asks ?? []).flatMap(({ id }) => (known.has(id) ? [] : (this.#said.get(id) ?? [])));
  }
}

/** Whether a service is meant by what a supervisor misses. */
const isMeant = ({ node, type }: Service, { supervisors }: WatchSet, missed: Omit<Missed, 'since'>): boolean =>
  node === missed.node &&
  (missed.service !== undefined
    ? type === missed.service
    : (type === supervisorType) === supervisors.some((one) => one.node === missed.node));

/** Whoever could have others asked for could keep all agents of a zone busy. */
export const believed: Invariant = {
  name: 'only-who-watches-is-believed',
  says: 'whom a supervisor is on record to miss is in its set, and its word has no service asked but those that it names, of nodes that are in its set as the word is taken in',
  begin: ({ kernel, violated }) => {
    const words = new Words();
    /** What a node's set was until when; the last one is its set now. */
    const past = new Map<string, { readonly set: WatchSet; until?: EpochMs }[]>();
    const watched = (by: NodeId, service: Service, word: SupervisorReport): boolean =>
      (past.get(by) ?? []).some(
        ({ set, until }) =>
          (until === undefined || until > kernel.now - takesMs) &&
          isIn(set, service.node) &&
          word.data.missed.some((one) => isMeant(service, set, one)),
      );
    return {
      sent: ({ body }) => words.take(body),
      committed: (changes) => {
        for (const { node, at, after } of setSteps(changes)) {
          const sets = past.get(node) ?? [];
          for (const one of sets) one.until ??= at;
          past.set(node, [...sets.filter(({ until }) => until! > at - takesMs), ...(after ? [{ set: after }] : [])]);
          const stray = after?.missed.find((one) => !isIn(after, one.node));
          if (stray) violated(`${node} is on record to miss ${stray.node}, which it does not watch`);
        }
        for (const step of serviceSteps(changes)) {
          const behind = words.behind(step);
          if (behind.length > 0 && !behind.some((word) => watched(word.node, step.after!, word)))
            violated(`${toldService(step)}: ${behind[0]!.node} does not watch it`);
        }
      },
    };
  },
};

/** Nodes whose agents are heard, or were a moment ago: what is asked elsewhere nobody would answer. */
const heard: readonly NodeStatus[] = ['joining', 'up', 'suspect', 'leaving', 'quarantined'];

/** Services, whose agents can be asked, and what they were asked, as commits make them. */
class Askable {
  readonly #rows = new ServiceRows();
  /** Since when each node is heard. */
  readonly #heardSince = new Map<string, EpochMs>();
  /** Until when an answer to the last check that a service was asked for is of use. */
  readonly #checks = new Map<string, { readonly instance: string; readonly until: EpochMs }>();

  take(changes: readonly Committed[]): void {
    this.#rows.take(changes);
    for (const { id, at, after } of nodeSteps(changes)) {
      if (!after || !heard.includes(after.status)) this.#heardSince.delete(id);
      else if (!this.#heardSince.has(id)) this.#heardSince.set(id, at);
    }
    for (const { id, after } of serviceSteps(changes))
      for (const { what, until } of after?.asks ?? []) if (what === 'check') this.#checks.set(id, { instance: instanceOf(after!), until });
  }

  /** Those that could have been asked, and were not, since so long before. */
  unasked(at: EpochMs): Service[] {
    const before = plusMs(at, -takesMs);
    return [...this.#rows.services.values()].filter((service) => {
      const { state, since, asks, node } = service;
      if (state.is !== 'online' || since > before || asks.length >= asksMax) return false;
      const check = this.#checks.get(serviceId(service));
      const isAsked = check?.instance === instanceOf(service) && check.until > before;
      return !isAsked && (this.#heardSince.get(node) ?? at) <= before;
    });
  }
}

/** A rule that says that it has done its work before it has may die in between, and nobody asks. */
export const asked: Invariant = {
  name: 'whoever-is-missed-is-asked',
  says: 'once a supervisor is on record to miss a node or a service, each service that is meant has been asked for a check, if it was online on a node that is heard all the while',
  begin: ({ violated }) => {
    const services = new Askable();
    return {
      committed: (changes) => {
        services.take(changes);
        for (const { at, before, after, row } of setSteps(changes)) {
          const missed = after ? newlyMissed(before, after) : [];
          if (missed.length === 0) continue;
          for (const service of services.unasked(at))
            if (missed.some((one) => isMeant(service, after!, one)))
              violated(`${after!.node} misses ${service.type} on ${service.host} by ${row.by}, and that was not asked`);
        }
      },
    };
  },
};

/** Whoever looks for what is missed is to find what is missed. */
export const nobodyMissed: Invariant = {
  name: 'nobody-healthy-is-missed-at-the-end',
  says: 'once faults have ended no supervisor is on record to miss a node, or a service that is online',
  begin: ({ world }) => ({
    unrest: () => {
      const online = new Set(standingServices(world()).flatMap((one) => (one.state.is === 'online' ? [serviceId(one)] : [])));
      return setsIn(world()).flatMap(({ node: by, missed }) =>
        missed.flatMap(({ node, service }) =>
          service === undefined || online.has(serviceId({ node, type: service }))
            ? [`${by} misses ${service ?? 'the agent'} of ${node}`]
            : [],
        ),
      );
    },
  }),
};
