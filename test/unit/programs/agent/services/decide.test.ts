import { describe, expect, it } from 'vitest';
import { type InstanceId, ServiceTypeName } from '../../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import type { DesiredService } from '../../../../../lib/nodes/desired/desired.ts';
import { allowedBy } from '../../../../../programs/agent/services/allowed.ts';
import { type Action, decide } from '../../../../../programs/agent/services/decide.ts';
import type { Input } from '../../../../../programs/agent/services/hear.ts';
import type { Seen } from '../../../../../programs/agent/services/seen.ts';
import { firstServices, type ServicesState, Table, tableText } from '../../../../../programs/agent/services/state.ts';
import { allowed, aService, echo, instances, lifeOf } from './played.ts';

const [first, second, third] = instances as [InstanceId, InstanceId, InstanceId];
const check = ['/bin/check'];

/** A host whose agent is told and asked by hand; it looks when it says so. */
class Agent {
  now = 1_000_000;
  state: ServicesState = firstServices({ table: undefined, desired: undefined }, allowed, this.now as EpochMs);
  did: Action[] = [];
  said: object[] = [];
  log: string[] = [];

  take(input: Input, afterMs = 0): this {
    this.now += afterMs;
    const { next, actions } = decide(this.state, input, this.now as EpochMs);
    this.state = next;
    for (const action of actions) {
      if (action.do === 'tell') this.said.push(...action.reports.map(({ type, data }) => ({ type, ...data })));
      if (action.do === 'say') this.log.push(action.line);
    }
    this.did = actions.filter((action) => action.do !== 'tell' && action.do !== 'say');
    return this;
  }
  wants(...services: DesiredService[]): this {
    return this.take({ type: 'desired', rev: 1, services });
  }
  sees(found: Seen, afterMs = 0): this {
    this.now += afterMs;
    if (!this.state.look.looking) this.take({ type: 'tick' }, Math.max(0, this.state.look.at - this.now));
    return this.take({ type: 'looked', held: [...this.state.held.values()], look: new Map([[echo, found]]) });
  }
  /** Muster has answered this agent of late, and has taken nothing since the beginning, or everything. */
  alone({ hasHeard = false, mayGoOn = true } = {}): this {
    this.state = { ...this.state, mayGoOn, untoldFrom: hasHeard ? undefined : (0 as EpochMs) };
    return this;
  }
  begun = (): this => this.take({ type: 'begun', service: echo, life: lifeOf(1) });
  /** It runs as its first instance, which has no check. */
  online = (over: Partial<DesiredService> = {}): this =>
    this.wants(aService(over))
      .begun()
      .sees({ is: 'running', life: lifeOf(1) })
      .sees({ is: 'running', life: lifeOf(1) }, 1_000);
  answers = (exit: number | undefined, says = '', afterMs = 0): this => {
    const asked = this.did.find((action) => action.do === 'command');
    if (asked?.do !== 'command') throw new Error('nothing is asked');
    const { held, run } = asked;
    return this.take(
      { type: 'answered', service: echo, run, instance: held.instance, result: { ...(exit !== undefined && { exit }), says } },
      afterMs,
    );
  };
  /** The agent is killed and starts again. */
  restarts(allows = allowed): this {
    const table = Table.parse(JSON.parse(tableText(this.state)));
    this.state = firstServices({ table, desired: this.state.desired }, allows, this.now as EpochMs);
    return this.take({ type: 'tick' });
  }
  does = () => this.did.map((action) => (action.do === 'signal' ? action.signal : action.do));
  is = () => this.state.held.get(echo)?.is;
  /** What Muster heard last, without which life it was. */
  last = (count = 1) =>
    this.said.slice(-count).map((word) => Object.fromEntries(Object.entries(word).filter(([name]) => name !== 'pid' && name !== 'born')));
}
const of = (type: string, instance = first, more: object = {}) => ({ type: `service.${type}`, service: echo, instance, ...more });

describe('a service that ends while Muster does not hear', () => {
  it('is started again by its agent as the same instance, by the same rule, and all of it is reported', () => {
    const agent = new Agent().alone().online();
    agent.sees({ is: 'absent', exit: 3 });
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(agent.take({ type: 'tick' }, 4_999).does(), `before attempt ${attempt}`).not.toContain('start');
      expect(agent.take({ type: 'tick' }, 1).does(), `attempt ${attempt}`).toContain('start');
      agent.take({ type: 'begun', service: echo, life: lifeOf(attempt + 1) }).sees({ is: 'absent', exit: 1 });
    }
    expect(agent.take({ type: 'tick' }, 5_000).does()).not.toContain('start');
    expect(agent.log).toContain('Muster is unreachable: attempt 5 of 5 to restart service echo');
    expect(agent.last(3)).toEqual([
      of('failed', first, { reason: 'it ended while it was starting (exit status 1)', exit: 1 }),
      of('starting'),
      of('failed', first, { reason: 'it ended while it was starting (exit status 1)', exit: 1 }),
    ]);
    expect(agent.wants(aService({ instance: second })).does(), 'an order begins anew').toContain('start');
  });

  it.each<[string, (agent: Agent) => void]>([
    ['Muster has heard of it', (agent) => agent.alone({ hasHeard: true })],
    ['Muster was away for too long', (agent) => agent.alone({ mayGoOn: false })],
    ['it is to stop', (agent) => agent.wants(aService({ goal: 'stop' }))],
    ['it is registered no more', (agent) => agent.wants()],
  ])('is left alone where %s', (_, happens) => {
    const agent = new Agent().alone().online().sees({ is: 'absent', exit: 3 });
    happens(agent);
    const did = Array.from({ length: 10 }, () => agent.take({ type: 'tick' }, 1_000).does()).flat();
    expect(did).not.toContain('start');
  });

  it('is left alone where it said that it ends, where its host does not run it, and where it is the work of the agent', () => {
    const ended = new Agent().alone().online();
    ended.take({ type: 'told', service: echo, instance: first, report: { is: 'stopping' } }).sees({ is: 'absent', exit: 0 });
    const refused = new Agent().alone().wants(aService());
    refused.take({ type: 'not-begun', service: echo, why: 'nobody is named for it', refused: true });
    const inside = new Agent().alone().online({ program: { is: 'built-in', does: 'statistics' } });
    inside.sees({ is: 'absent' });
    const did = [ended, refused, inside].map((agent) =>
      Array.from({ length: 10 }, () => agent.take({ type: 'tick' }, 1_000).does()).flat(),
    );
    expect(did.flat()).not.toContain('start');
  });
});

describe('a service that is to run', () => {
  it('is started once as each instance, and is ready once it has lived for a second', () => {
    const agent = new Agent().wants(aService());
    expect(agent.does()).toEqual(['start']);
    agent.begun().sees({ is: 'running', life: lifeOf(1) });
    expect(agent.is()).toBe('starting');
    agent.sees({ is: 'running', life: lifeOf(1) }, 1_000).wants(aService());
    expect(agent.said).toEqual([of('starting'), of('started', first, lifeOf(1))]);
    expect(agent.sees({ is: 'absent', exit: 3 }).does()).not.toContain('start');
    expect(agent.last()).toEqual([of('stopped', first, { exit: 3 })]);
    expect(agent.log).toEqual(['service echo has ended by itself (exit status 3)']);
    expect(agent.wants(aService({ instance: second })).does()).toContain('start');
  });

  it('with a check is ready once that says so, and has failed when it has not in its time', () => {
    const agent = new Agent().wants(aService({ check, startMs: 3_000 })).begun();
    expect(agent.does()).toContain('command');
    agent.answers(7, 'not yet').take({ type: 'tick' }, 1_000).answers(0);
    expect(agent.last()).toEqual([of('started')]);
    const late = new Agent().wants(aService({ check, startMs: 3_000 })).begun();
    for (let i = 0; i < 3; i += 1) late.answers(7, 'not yet').take({ type: 'tick' }, 1_000);
    late.answers(7, 'not yet');
    expect(late.last()).toEqual([of('failed', first, { reason: 'it was not ready within 3 s; its check ended with 7: not yet' })]);
    expect(late.does()).toEqual(['SIGTERM']);
  });

  it('gives way to the next instance, which waits until it has ended', () => {
    const agent = new Agent().online().wants(aService({ instance: second }));
    expect(agent.does()).toEqual(['SIGTERM']);
    agent.take({ type: 'signalled', service: echo, signal: 'SIGTERM' });
    expect(agent.does()).toEqual([]);
    agent.sees({ is: 'absent', exit: 0 });
    expect(agent.does()).toEqual(['start']);
    expect(agent.last(3)).toEqual([of('stopping'), of('stopped', first, { exit: 0 }), of('starting', second)]);
  });

  it('that ends while it starts, or cannot be started, has failed', () => {
    const agent = new Agent().wants(aService()).begun().sees({ is: 'absent', exit: 127 });
    expect(agent.last()).toEqual([of('failed', first, { reason: 'it ended while it was starting (exit status 127)', exit: 127 })]);
    agent.wants(aService({ instance: second })).take({ type: 'not-begun', service: echo, why: 'no such command' });
    expect(agent.last()).toEqual([of('failed', second, { reason: 'no such command' })]);
  });

  it('goes on when its agent is killed, and is started by nobody then', () => {
    const agent = new Agent().online();
    const before = agent.said.length;
    agent.restarts().sees({ is: 'running', life: lifeOf(1) });
    expect([agent.said.length, agent.is(), agent.does()]).toEqual([before, 'online', []]);
    agent.restarts().sees({ is: 'absent' });
    expect(agent.last()).toEqual([of('stopped')]);
    expect(agent.does()).toEqual([]);
  });
});

describe('a service that is to stop', () => {
  const stopping = () => new Agent().online().wants(aService({ goal: 'stop' }));

  it('is told, killed after its time, and reported to have failed when even that does not end it', () => {
    const agent = stopping();
    expect(agent.does()).toEqual(['SIGTERM']);
    agent.take({ type: 'signalled', service: echo, signal: 'SIGTERM', why: 'nobody may' }).take({ type: 'tick' }, 5_000);
    expect(agent.does()).toContain('SIGTERM');
    agent.take({ type: 'signalled', service: echo, signal: 'SIGTERM' }).take({ type: 'tick' }, 30_000);
    expect(agent.does()).toContain('SIGKILL');
    agent.take({ type: 'signalled', service: echo, signal: 'SIGKILL' }).sees({ is: 'running', life: lifeOf(1) }, 10_000);
    expect(agent.last()).toEqual([of('failed', first, { reason: 'it was killed and has not ended' })]);
    agent.wants(aService({ instance: second }));
    expect(agent.last()).toEqual([of('failed', second, { reason: `instance ${first} was killed and has not ended` })]);
    expect(
      agent
        .sees({ is: 'absent', exit: 137 })
        .wants(aService({ instance: third }))
        .does(),
    ).toEqual(['start']);
  });

  it('and does not run is said not to, once; one that is listed no more is stopped and forgotten', () => {
    const agent = new Agent().wants(aService({ goal: 'stop' })).wants(aService({ goal: 'stop' }));
    expect(agent.said).toEqual([of('stopped')]);
    const gone = new Agent().online().wants();
    expect(gone.does()).toEqual(['SIGTERM']);
    gone.take({ type: 'signalled', service: echo, signal: 'SIGTERM' }).sees({ is: 'absent', exit: 0 });
    expect(gone.does()).toEqual(['forget']);
    expect(gone.take({ type: 'forgotten', service: echo }).state.held.size).toBe(0);
  });
});

describe('a service is asked', () => {
  it('each question once, and answers under its id', () => {
    const ask = { id: 'a1', what: 'message' as const, message: echo, data: '{}' };
    const agent = new Agent().online().wants(aService({ asks: [ask] }));
    expect(agent.did).toMatchObject([{ do: 'command', run: { what: 'message', ask: 'a1', message: echo, data: '{}' } }]);
    agent.wants(aService({ asks: [ask] }));
    expect(agent.does()).toEqual([]);
  });

  it('and a message that its agent was killed over is not given twice; what does not run says so', () => {
    const ask = { id: 'a1', what: 'message' as const, message: echo };
    const agent = new Agent()
      .online()
      .wants(aService({ asks: [ask] }))
      .restarts();
    expect(agent.does()).not.toContain('command');
    expect(agent.last()).toMatchObject([{ ask: 'a1', exit: 1, says: expect.stringContaining('not known') }]);
    const idle = new Agent().wants(aService()).take({ type: 'not-begun', service: echo, why: 'no' });
    idle.wants(aService({ asks: [{ id: 'a2', what: 'check' }] }));
    expect(idle.last()).toEqual([of('answered', first, { ask: 'a2', what: 'check', exit: 7, says: 'the service does not run' })]);
  });

  it('how it is every so often, and Muster hears of what has changed, or after ten minutes', () => {
    const agent = new Agent().wants(aService({ check, checkEveryMs: 60_000 })).begun();
    agent.answers(0).take({ type: 'tick' }, 60_000);
    const heard = () => agent.said.filter((word) => (word as { type: string }).type === 'service.answered').length;
    agent.answers(0, 'well');
    expect(agent.last()).toEqual([of('answered', first, { what: 'check', exit: 0, says: 'well' })]);
    agent.take({ type: 'tick' }, 60_000).answers(0, 'well still');
    expect(heard()).toBe(1);
    agent.take({ type: 'tick' }, 60_000).answers(1, 'ill');
    expect(heard()).toBe(2);
    for (let minute = 0; minute < 10; minute += 1) agent.take({ type: 'tick' }, 60_000).answers(1, 'ill');
    expect(heard()).toBe(3);
    expect(agent.last()).toEqual([of('answered', first, { what: 'check', exit: 1, again: true, says: 'ill' })]);
  });
});

describe('a service says of itself', () => {
  const tells = (report: Extract<Input, { type: 'told' }>['report']): Input => ({ type: 'told', service: echo, instance: first, report });

  it('that it is ready, and where it can be reached', () => {
    const agent = new Agent()
      .wants(aService({ check }))
      .begun()
      .take(tells({ is: 'ready', address: 'n1:7' }));
    expect(agent.last()).toEqual([of('started', first, { address: 'n1:7' })]);
  });

  it('that it runs with another configuration, each time that it says so', () => {
    const agent = new Agent().online().take(tells({ is: 'configured', configuration: { port: 81 } }));
    expect(agent.last()).toEqual([of('configured', first, { configuration: { port: 81 } })]);
    expect(agent.does()).toEqual([]);
  });

  it('that it stops: it is told nothing, and killed only when that takes longer than it may', () => {
    const agent = new Agent().online().take(tells({ is: 'stopping' }));
    expect(agent.does()).toEqual([]);
    expect(agent.take({ type: 'tick' }, 29_000).does()).not.toContain('SIGKILL');
    expect(agent.take({ type: 'tick' }, 1_000).does()).toContain('SIGKILL');
  });

  it('that it has failed, and is told to end', () => {
    const agent = new Agent().online().take(tells({ is: 'failed', reason: 'the disk is full' }));
    expect(agent.last()).toEqual([of('failed', first, { reason: 'the disk is full' })]);
    expect(agent.does()).toEqual(['SIGTERM']);
  });
});

describe('a service that its host does not allow', () => {
  const refused =
    'this host does not run services of type echo; it runs m0d, recovery-coordinator, recovery-supervisor, statistics, supervisor. ' +
    'Add it to allow-service in the agent’s configuration, and restart the agent';
  const onlyBuiltIn = () => new Agent().restarts(allowedBy());

  it('is not begun, and has failed for good, with what mends it', () => {
    const agent = onlyBuiltIn().wants(aService());
    expect(agent.does()).toEqual([]);
    expect(agent.last()).toEqual([of('failed', first, { reason: refused, refused: true })]);
    expect(agent.log).toEqual([`service echo: ${refused}`]);
    expect(agent.take({ type: 'tick' }, 3_600_000).said).toHaveLength(1);
    expect(agent.wants(aService({ instance: second })).last()).toEqual([of('failed', second, { reason: refused, refused: true })]);
  });

  it('is ended where it ran before the host was told so, and tells why it failed before that it ended', () => {
    const agent = new Agent().online().restarts(allowedBy());
    expect(agent.does()).toContain('SIGTERM');
    agent.take({ type: 'signalled', service: echo, signal: 'SIGTERM' }).sees({ is: 'absent', exit: 0 });
    expect(agent.last(2)).toEqual([of('failed', first, { reason: refused, refused: true }), of('stopped', first, { exit: 0 })]);
    expect(agent.take({ type: 'tick' }, 3_600_000).does()).toEqual([]);
  });

  it('runs no command that it is asked by', () => {
    const asks = [{ id: 'a1', what: 'check' as const }];
    const agent = onlyBuiltIn().wants(aService({ check, asks }));
    expect(agent.does()).toEqual([]);
    expect(agent.last()).toMatchObject([{ type: 'service.answered', ask: 'a1', exit: 4, says: refused }]);
  });

  it.each([
    ['a command under the name of a built-in type', 'statistics', { is: 'command', start: ['sh'] }],
    ['a built-in program that takes a command, under another name', 'statistics', { is: 'built-in', does: 'process' }],
  ] as const)('is %s, too', (_what, name, program) => {
    const service = ServiceTypeName.parse(name);
    const agent = onlyBuiltIn().wants(
      aService({ service, program: { ...program, ...('start' in program && { start: [...program.start] }) } as never }),
    );
    expect(agent.does()).toEqual([]);
    expect(agent.said).toMatchObject([{ type: 'service.failed', refused: true }]);
  });

  it('is begun by an agent that is started with it among what it runs', () => {
    const agent = onlyBuiltIn()
      .wants(aService())
      .restarts(allowed)
      .wants(aService({ instance: second }));
    expect(agent.does()).toEqual(['start']);
  });
});
