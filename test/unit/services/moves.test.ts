import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceReport } from '../../../events/reported/service.ts';
import type { Decision } from '../../../lib/core/decision.ts';
import { ServiceName, ServiceTypeName } from '../../../lib/core/ids.ts';
import { plusMs } from '../../../lib/core/time.ts';
import { decide, type ServiceInput } from '../../../lib/services/decide.ts';
import { followers } from '../../../lib/services/followers.ts';
import { attemptsMax } from '../../../lib/services/move.ts';
import { orderReconfigure, orderStart, orderStop } from '../../../lib/services/orders.ts';
import { goalOf, isNews } from '../../../lib/services/reads/told.ts';
import { holdersMax, instanceOf, Service, type ServiceStateName, serviceMoves } from '../../../lib/services/service.ts';
import { aNode, at, nodeId } from '../../../tools/support/builders.ts';
import { aType, judged, schemas } from './some.ts';

const [type, schema, node] = [aType('web'), schemas[0]!, aNode({ services: true })];
const kinds = ['service.starting', 'service.started', 'service.stopping', 'service.stopped', 'service.failed', 'service.answered'] as const;

type Step = {
  readonly does: 'report' | 'tick' | 'table' | 'start' | 'stop' | 'reconfigure';
  readonly kind: (typeof kinds)[number];
  /** How many instances ago the one was that a report or a table is of. */
  readonly ago: number;
  readonly seq: number;
  readonly exit: number | undefined;
  readonly back: 'no' | 'same kernel' | 'anew';
  readonly shown: 'starting' | 'online' | 'stopping' | undefined;
  readonly isAway: boolean;
  readonly port: number;
  readonly afterS: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('report', 'report', 'report', 'report', 'tick', 'tick', 'table', 'start', 'stop', 'reconfigure'),
  kind: fc.constantFrom(...kinds),
  ago: fc.constantFrom(0, 0, 0, 1, 2),
  seq: fc.integer({ min: 1, max: 30 }),
  exit: fc.constantFrom(undefined, 0, 1),
  back: fc.constantFrom('no', 'same kernel', 'anew'),
  shown: fc.constantFrom(undefined, 'starting', 'online', 'stopping'),
  isAway: fc.boolean(),
  port: fc.integer({ min: 80, max: 82 }),
  afterS: fc.integer({ min: 0, max: 200 }),
});
const steps = fc.array(step, { maxLength: 40 });

const instanceAgo = (service: Service, ago: number) => instanceOf({ ...service, start: Math.max(1, service.start - ago) });

function reportOf(service: Service, { kind, ago, seq, exit }: Step, now: ReturnType<typeof at>): ServiceReport {
  const life = { service: service.type, instance: instanceAgo(service, ago), pid: 7 };
  const more =
    kind === 'service.failed'
      ? { reason: 'broken', ...(exit !== undefined && { exit }) }
      : kind === 'service.stopped'
        ? exit !== undefined && { exit }
        : kind === 'service.answered' && { what: 'check', exit: exit ?? 1, says: '' };
  return {
    id: `r-${seq}`,
    type: kind,
    version: 1,
    node: service.node,
    receivedAt: now,
    intervalMs: 10_000,
    incarnation: 1,
    seq,
    data: { ...life, ...more },
  } as ServiceReport;
}

/** What a step decides; undefined where it is refused. */
function decided(service: Service | undefined, one: Step, now: ReturnType<typeof at>): Decision<Service> | undefined {
  const configuration = JSON.stringify({ port: one.port });
  if (one.does === 'start') {
    const made = judged((verdict) =>
      orderStart({ service, formerly: undefined, type, schema, node, holder: undefined, configuration, verdict }, now),
    );
    return made.does === 'refuse' ? undefined : made;
  }
  if (!service) return undefined;
  if (one.does === 'stop') return orderStop(service, { type: 'web', host: 'node1' }, now);
  if (one.does === 'reconfigure') {
    const made = judged((verdict) => orderReconfigure(service, { type, schema, configuration, verdict }, now));
    return made.does === 'refuse' ? undefined : made;
  }
  return decide(service, inputOf(service, one, now), {}, now);
}

function inputOf(service: Service, one: Step, now: ReturnType<typeof at>): ServiceInput {
  if (one.does === 'tick') return { type: 'tick', isAway: one.isAway };
  if (one.does === 'report') return reportOf(service, one, now);
  const entry = one.shown && { service: service.type, instance: instanceAgo(service, one.ago), pid: 7, state: one.shown };
  return { type: 'table', node: service.node, incarnation: 1, seq: one.seq, back: one.back, at: now, entry };
}

type Look = (before: Service | undefined, made: Decision<Service>, one: Step) => void;
/** Plays steps against a service that is not registered at first, and shows each decision. */
function play(all: readonly Step[], look: Look): void {
  let service: Service | undefined;
  let now = at(0);
  for (const one of all) {
    now = plusMs(now, one.afterS * 1_000);
    const made = decided(service, one, now);
    if (!made) continue;
    look(service, made, one);
    if (made.does === 'write') service = made.next;
    if (made.does === 'remove') service = undefined;
  }
}
const always = (look: Look, numRuns = 400) =>
  fc.assert(
    fc.property(steps, (all) => play(all, look)),
    { numRuns },
  );

const reachable = (from: ServiceStateName): Set<ServiceStateName> =>
  new Set([
    from,
    ...Object.values(serviceMoves).flatMap(({ from: froms, to }) => ((froms as readonly ServiceStateName[]).includes(from) ? [to] : [])),
  ]);

describe('every history of a service', () => {
  it('keeps to the table of moves, and its rows are rows', () => {
    always((before, made) => {
      if (made.does !== 'write') return;
      const isBegun = before?.state.is === 'failed' && made.events.some((event) => event.type === 'service.starting');
      expect(reachable(isBegun ? 'starting' : (before?.state.is ?? 'offline'))).toContain(made.next.state.is);
      expect(Service.safeParse(made.next).error).toBeUndefined();
      expect(made.next.state.is).not.toBe('offline');
    });
  });

  it('changes nothing by a word of an older instance', () => {
    always((before, made, { does, ago }) => {
      if (does === 'report' && before && ago > 0 && before.start > 1) expect(made.does).toBe('nothing');
    });
  });

  it('is another instance after each start, and only after one; none is ever called as one before', () => {
    always((before, made, { does }) => {
      if (made.does !== 'write' || !before) return;
      // What an agent says that it has started again is the instance that it was.
      const isStart = does !== 'report' && made.events.some((event) => event.type === 'service.starting');
      expect(made.next.start - before.start).toBe(isStart ? 1 : 0);
    });
  });

  it('is not started again by itself once an operator stops it, nor more often than it may be without being online', () => {
    always((before, made, { does }) => {
      if (made.does !== 'write' || !before) return;
      if (before.stopping && does !== 'start') expect(made.next.start).toBe(before.start);
      if (before.stopping && does !== 'start') expect(goalOf(made.next)).toBe('stop');
      expect(made.next.attempts ?? 0).toBeLessThanOrEqual(attemptsMax);
      if (does === 'tick' && made.next.start > before.start) expect(made.next.attempts).toBe((before.attempts ?? 0) + 1);
    });
  });

  it('has its name exactly while its row is there, and its agent is told of each start and each stop', () => {
    always((before, made) => {
      const rows = followers(before, made).map(({ ref }) => ref.noun);
      if (made.does === 'nothing') return expect(rows).toEqual([]);
      expect(rows.includes('service-name')).toBe((before === undefined) !== (made.does === 'remove'));
      if (made.does !== 'write') return;
      if (made.next.start !== (before?.start ?? 0)) expect(isNews(before, made.next)).toBe(true);
      if (made.next.stopping && !before?.stopping) expect(isNews(before, made.next)).toBe(true);
    });
  });

  it('is due exactly while time can change it', () => {
    always((_before, made) => {
      if (made.does !== 'write') return;
      const { state, retryAt } = made.next;
      expect(made.wakeAt !== undefined).toBe(state.is === 'starting' || state.is === 'stopping' || retryAt !== undefined);
      expect(retryAt === undefined || state.is === 'failed').toBe(true);
    });
  });

  it('publishes a change of state once, and none without one; two when it began and was ready by one word', () => {
    always((before, made) => {
      if (made.does !== 'write') return;
      const ofState = made.events.filter((event) => event.type !== 'service.health');
      const isStart = made.next.start !== (before?.start ?? 0);
      const moves = before?.state.is === 'failed' && made.next.state.is === 'online' ? 2 : 1;
      expect(ofState.length).toBe(isStart || before?.state.is !== made.next.state.is ? moves : 0);
    });
  });
});

describe('a word about the life of a service', () => {
  const begun = (): Service => {
    const asked = { service: undefined, formerly: undefined, type, schema, node, holder: undefined, configuration: '{"port":80}' };
    const made = judged((verdict) => orderStart({ ...asked, verdict }, at(0)));
    if (made.does !== 'write') throw new Error(made.because);
    return made.next;
  };
  const heard = (service: Service, kind: Step['kind'], seq: number, exit?: number): Service | 'nothing' | 'gone' => {
    const made = decide(service, reportOf(service, { kind, ago: 0, seq, exit } as Step, at(1)), {}, at(1));
    return made.does === 'write' ? made.next : made.does === 'remove' ? 'gone' : 'nothing';
  };
  const having = (...words: [kind: Step['kind'], seq: number, exit?: number][]): Service | 'nothing' | 'gone' =>
    words.reduce<Service | 'nothing' | 'gone'>(
      (service, word) => (typeof service === 'string' ? service : heard(service, ...word)),
      begun(),
    );

  it('counts when it leads on, also after a later answer that overtook it', () => {
    const answered = ['service.answered', 23, 7] as const;
    const latest = { heard: { incarnation: 1, seq: 23 } };
    expect(having([...answered], ['service.started', 17])).toMatchObject({ state: { is: 'online' }, ...latest });
    expect(having([...answered], ['service.started', 17], ['service.started', 17])).toBe('nothing');
    expect(having(['service.started', 2], [...answered], ['service.stopping', 17])).toMatchObject({ state: { is: 'stopping' }, ...latest });
    expect(having(['service.started', 2], [...answered], ['service.stopping', 17], ['service.stopped', 18, 0])).toBe('gone');
    for (const kind of ['service.stopped', 'service.failed'] as const) {
      expect(having(['service.started', 2], [...answered], [kind, 17, 1])).toMatchObject({ state: { is: 'failed' }, ...latest });
      expect(having(['service.started', 2], [...answered], [kind, 17, 1], [kind, 17, 1])).toBe('nothing');
    }
  });

  it('begins the same instance again where its agent was alone, as an attempt of the rule, and a late end of the life before is none of this one', () => {
    const again = having(['service.started', 2], ['service.stopped', 3, 1], ['service.starting', 4]);
    expect(again).toMatchObject({ state: { is: 'starting' }, start: 1, attempts: 1 });
    const online = having(['service.started', 2], ['service.stopped', 3, 1], ['service.starting', 4], ['service.started', 5]) as Service;
    expect(online).toMatchObject({ state: { is: 'online' }, start: 1, attempts: 1 });
    const late = reportOf(online, { kind: 'service.stopped', ago: 0, seq: 6, exit: 1 } as Step, at(1)) as ServiceReport & { data: object };
    const before = { ...late, data: { ...late.data, pid: 99 } } as ServiceReport;
    expect(decide(online, before, {}, at(1))).toMatchObject({ because: expect.stringContaining('of pid 99') });
    const stopping = { ...online, state: { is: 'failed', reason: 'exited' }, stopping: true } as Service;
    expect(heard(stopping, 'service.starting', 9), 'nobody tries one that is to stop').toMatchObject({ state: { is: 'failed' } });
  });

  it('is of a life that is over where a later one was said to begin or to have ended, also where that one has no pid yet', () => {
    // As an agent says it that starts a service by itself: the pid comes with the word that it is ready.
    const begins = (service: Service, seq: number): Service => {
      const { data, ...report } = reportOf(service, { kind: 'service.starting', ago: 0, seq } as Step, at(1));
      const { pid: _none, ...life } = data as { pid: number };
      const made = decide(service, { ...report, data: life } as ServiceReport, {}, at(1));
      return made.does === 'write' ? made.next : service;
    };
    const again = begins(having(['service.started', 2], ['service.stopped', 3, 1]) as Service, 4);
    const sixth = begins(again, 9);
    expect(sixth).toMatchObject({ state: { is: 'starting' }, attempts: 1, heard: { seq: 9 } });
    expect(heard(sixth, 'service.stopped', 7, 1), 'the end of the life before').toBe('nothing');
    expect(heard(sixth, 'service.failed', 7, 1)).toBe('nothing');
    expect(heard(sixth, 'service.stopped', 11, 1)).toMatchObject({ state: { is: 'failed' } });
    // The end of the last life came first, and says nothing new; that this life was ready must not bring it back.
    const failed = { ...sixth, state: { is: 'failed', reason: 'exited' }, retryAt: at(9) } as Service;
    const over = heard(failed, 'service.stopped', 11, 1) as Service;
    expect(over).toMatchObject({ state: { is: 'failed' }, heard: { seq: 9, saidTo: 11 } });
    expect(heard(over, 'service.started', 10)).toBe('nothing');
  });

  it('that the next life is ready is kept when it overtakes the word that it begins', () => {
    const early = having(['service.started', 2], ['service.stopped', 3, 1], ['service.started', 6]);
    expect(early).toMatchObject({ state: { is: 'online' }, start: 1, attempts: 1, running: { pid: 7 }, heard: { seq: 6 } });
    expect(heard(early as Service, 'service.starting', 4), 'of resources alone').toMatchObject({ state: { is: 'online' }, attempts: 1 });
    expect(heard(early as Service, 'service.started', 5)).toBe('nothing');
  });

  it('of one that has ended and is to be tried again leaves it wanted: its agent may have started it already', () => {
    const ended = having(['service.started', 2], ['service.stopped', 3, 1]) as Service;
    expect(goalOf(ended)).toBe('run');
    const { retryAt: _none, ...final } = ended;
    expect(goalOf(final)).toBe('stop');
  });

  it('takes nothing back: that it was started is old once it has ended, and that it failed to start once it runs', () => {
    expect(having(['service.started', 2], ['service.stopped', 9, 1], ['service.stopping', 8])).toBe('nothing');
    expect(having(['service.stopped', 9, 1], ['service.started', 8])).toBe('nothing');
    expect(having(['service.started', 9], ['service.failed', 8])).toBe('nothing');
  });
});

describe('a service whose node is given up', () => {
  it('has failed with it and is registered no more, whatever it did', () => {
    always((_before, made) => {
      if (made.does !== 'write') return;
      const lost = decide(made.next, { type: 'node-lost' }, {}, at(0));
      expect(lost).toMatchObject({ does: 'remove', last: { state: { is: 'failed', reason: 'node lost' }, resources: [] } });
      expect(followers(made.next, lost).map(({ ref }) => ref.noun)).toContain('service-name');
    });
  });
});

describe('the resources of a service', () => {
  const holding = (): Service => {
    const ground = { service: undefined, formerly: undefined, type, schema, node, holder: undefined, configuration: '{"port":80}' };
    const made = judged((verdict) => orderStart({ ...ground, verdict }, at(0)));
    if (made.does !== 'write') throw new Error(made.because);
    return { ...made.next, resources: [{ kind: 'database', id: 'main', hold: 'exclusive' }] };
  };

  it('are let go with whatever ends its instance, and not before', () => {
    const held = (input: ServiceInput) => followers(holding(), decide(holding(), input, {}, at(1_000))).map(({ ref }) => ref);
    const service = holding();
    const word = (kind: Step['kind'], exit?: number) => reportOf(service, { kind, ago: 0, seq: 9, exit } as Step, at(1));
    const resource = { noun: 'service-resource', id: `${service.zone}/database:main` };
    expect(held(word('service.stopped', 1))).toContainEqual(resource);
    expect(held({ type: 'node-lost' })).toContainEqual(resource);
    // Nobody knows whether one that took too long does not run on.
    expect(held({ type: 'tick', isAway: false })).not.toContainEqual(resource);
    expect(held(word('service.started'))).not.toContainEqual(resource);
  });

  it('stay held through a new instance until the end of the one before is known', () => {
    const online = { ...holding(), state: { is: 'online' as const }, running: { pid: 7 } };
    const made = judged((verdict) => orderReconfigure(online, { type, schema, configuration: '{"port":81}', verdict }, at(1)));
    if (made.does !== 'write') throw new Error(made.because);
    expect(followers(online, made)).toEqual([]);
    const next = made.next;
    const heard = (input: ServiceInput) => {
      const decision = decide(next, input, {}, at(200));
      return decision.does === 'write' ? decision.next : undefined;
    };
    const word = (kind: Step['kind'], data: object = {}): ServiceReport => {
      const { pid: _pid, ...said } = reportOf(next, { kind, ago: 0, seq: 9 } as Step, at(2)).data as { pid?: number };
      return { ...reportOf(next, { kind, ago: 0, seq: 9 } as Step, at(2)), data: { ...said, ...data } } as ServiceReport;
    };
    const table = (back: Step['back'], entry?: { instance: string; state: 'online' | 'stopping' }): ServiceInput =>
      ({
        type: 'table',
        node: next.node,
        incarnation: 2,
        seq: 9,
        back,
        at: at(300),
        entry: entry && { service: type.name, pid: 7, ...entry },
      }) as ServiceInput;
    const still = [
      // The agent could not begin it: perhaps the one before does not end.
      word('service.failed', { reason: 'instance x.1 was killed and has not ended' }),
      { type: 'tick', isAway: false } as const,
      table('same kernel', { instance: instanceOf(online), state: 'stopping' }),
    ];
    for (const input of still) expect(heard(input)?.resources ?? next.resources, input.type).toEqual(online.resources);
    const over = [
      ...[word('service.starting'), word('service.started', { pid: 8 }), word('service.failed', { reason: 'broken', pid: 8 })],
      ...[table('anew'), table('same kernel'), table('same kernel', { instance: instanceOf(next), state: 'online' })],
    ];
    for (const input of over) {
      expect(heard(input), input.type).toMatchObject({ resources: [] });
      expect(heard(input), input.type).not.toHaveProperty('heldBefore');
    }
  });

  it('are held together by as many as a row takes, and no more', () => {
    const service = { ...holding(), resources: [] };
    const said = { ...reportOf(service, { kind: 'service.started', ago: 0, seq: 9 } as Step, at(1)), type: 'service.acquired' } as const;
    const data = { ...said.data, kind: 'database', id: 'main', hold: 'shared' as const };
    const takes = (others: number) => {
      const holders = Array.from({ length: others }, (_, n) => ({ node: node.id, type: ServiceTypeName.parse(`t${n}`) }));
      return decide(
        service,
        { ...said, data } as ServiceReport,
        { holders: { kind: 'database', id: 'main', exclusive: false, holders } },
        at(1),
      );
    };
    expect(takes(holdersMax - 1)).toMatchObject({ does: 'write', next: { resources: [{ kind: 'database', id: 'main', hold: 'shared' }] } });
    expect(takes(holdersMax)).toMatchObject({ does: 'nothing', refused: true, because: expect.stringContaining('1000 services') });
  });
});

describe('a name', () => {
  it('is had by one type on a node at a time, whoever came first', () => {
    const holder = { type: ServiceTypeName.parse('proxy') };
    const other = orderStart(
      {
        service: undefined,
        formerly: undefined,
        node,
        holder,
        schema,
        type: { ...type, serviceName: ServiceName.parse('web') },
        configuration: '{"port":80}',
      },
      at(0),
    );
    expect(other).toMatchObject({ does: 'refuse', problem: 'name-taken', because: expect.stringContaining('proxy') as string });
    expect(nodeId(1)).toBe(node.id);
  });
});
