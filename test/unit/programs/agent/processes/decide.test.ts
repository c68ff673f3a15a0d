import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import type { DesiredProcess } from '../../../../../lib/nodes/desired/desired.ts';
import { type Action, decide } from '../../../../../programs/agent/processes/decide.ts';
import type { Input } from '../../../../../programs/agent/processes/hear.ts';
import type { Seen } from '../../../../../programs/agent/processes/runner.ts';
import { firstProcesses, type ProcessesState, tableOf } from '../../../../../programs/agent/processes/state.ts';
import type { Life } from '../../../../../programs/agent/supervised/thing.ts';
import { aDesired, emptyTable, fids } from './played.ts';

const [confd] = fids as [(typeof fids)[number]];
const life: Life = { pid: 101, born: 'boot.1' };
const other: Life = { pid: 102, born: 'boot.2' };

/** A host whose agent is told and asked by hand; it looks when it says so. */
class Agent {
  now = 1_000_000;
  state: ProcessesState = firstProcesses(emptyTable, undefined, this.now as EpochMs);
  did: Action[] = [];
  /** What the host's log says. */
  log: string[] = [];

  take(input: Input, afterMs = 0): this {
    this.now += afterMs;
    const { next, actions } = decide(this.state, input, this.now as EpochMs);
    this.state = next;
    this.log.push(...actions.flatMap((action) => (action.do === 'say' ? [action.line] : [])));
    this.did = actions.filter((action) => action.do !== 'report' && action.do !== 'say');
    return this;
  }
  /** What is new does not run: the look that this brings finds nothing. */
  wants(...processes: DesiredProcess[]): this {
    this.take({ type: 'desired', rev: 1, processes });
    return [...this.state.held.values()].some(({ looked }) => !looked) ? this.sees({ is: 'absent' }) : this;
  }
  /** A look that begins now finds this. */
  sees(found: Seen): this {
    if (!this.state.look.looking) this.take({ type: 'tick' }, Math.max(0, this.state.look.at - this.now));
    return this.take({ type: 'looked', held: [...this.state.held.values()], look: { ok: true, seen: new Map([[confd, found]]) } });
  }
  online(start = 0): this {
    return this.wants(aDesired({ start })).take({ type: 'begun', process: confd, life }).sees({ is: 'online', life });
  }
  /** Muster has answered this agent of late, and may hear nothing now. */
  alone(mayGoOn = true): this {
    this.state = { ...this.state, mayGoOn };
    return this;
  }
  /** Muster takes what there is to say. */
  reported = (): this => this.take({ type: 'reported', reports: this.state.reports.out });
  said = () => this.state.reports.out.map(({ type, data }) => ({ type, ...data }));
  is = () => this.state.held.get(confd)?.is;
  does = () => this.did.map((action) => action.do);
}

describe('a process that is to run', () => {
  it('is started once for each order, and Muster hears each step with its life', () => {
    const agent = new Agent().wants(aDesired());
    expect(agent.does()).toEqual(['start']);
    agent.take({ type: 'begun', process: confd, life }).sees({ is: 'online', life }).wants(aDesired());
    expect(agent.does()).toEqual([]);
    expect(agent.said()).toEqual([
      { type: 'process.starting', process: confd },
      { type: 'process.started', process: confd, ...life },
    ]);
  });

  it('is not started before this agent has looked: it may run although the record does not say so', () => {
    const agent = new Agent().take({ type: 'desired', rev: 1, processes: [aDesired()] });
    expect(agent.does()).toEqual(['look']);
    const blind = agent.take({ type: 'looked', held: [...agent.state.held.values()], look: { ok: false, why: 'no answer' } });
    expect(blind.does()).toEqual([]);
    agent.sees({ is: 'online', life });
    expect([agent.does(), agent.is()]).toEqual([[], 'online']);
    const anew = new Agent();
    anew.state = firstProcesses(tableOf(new Agent().online().sees({ is: 'absent' }).state), undefined, anew.now as EpochMs);
    expect(anew.take({ type: 'desired', rev: 2, processes: [aDesired({ start: 1 })] }).does()).toEqual(['look']);
  });

  it('that ends by itself stays so until it is ordered again', () => {
    const agent = new Agent().online().sees({ is: 'absent', exit: 139 });
    expect(agent.said().at(-1)).toEqual({ type: 'process.stopped', process: confd, ...life, exit: 139 });
    expect(agent.wants(aDesired()).does()).not.toContain('start');
    expect(agent.wants(aDesired({ start: 1 })).does()).toContain('start');
  });

  it('that ends by itself is started again by its agent while Muster does not hear, by the same rule, and reported', () => {
    const agent = new Agent().alone().online();
    agent.sees({ is: 'absent', exit: 139 });
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(agent.take({ type: 'tick' }, 4_999).does(), `before attempt ${attempt}`).not.toContain('start');
      expect(agent.take({ type: 'tick' }, 1).does(), `attempt ${attempt}`).toContain('start');
      agent.take({ type: 'begun', process: confd, life }).sees({ is: 'absent', exit: 1 });
    }
    expect(agent.take({ type: 'tick' }, 5_000).does()).not.toContain('start');
    expect(agent.log.filter((line) => line.includes('attempt'))).toHaveLength(5);
    expect(agent.log).toContain(`Muster is unreachable: attempt 5 of 5 to restart m0d ${confd}`);
    const [, , ...after] = agent.said();
    expect(after.map(({ type }) => type)).toEqual([
      'process.stopped',
      ...Array.from({ length: 5 }, () => ['process.starting', 'process.failed']).flat(),
    ]);
    expect(agent.wants(aDesired({ start: 1 })).does(), 'an order begins anew').toContain('start');
  });

  it('has its attempts again once it was online for as long as a start may take, and those that its cluster allows', () => {
    const agent = new Agent().alone();
    agent.wants(aDesired({ restart: { attemptsMax: 1, everyMs: 2_000 } })).take({ type: 'begun', process: confd, life });
    agent.sees({ is: 'online', life }).sees({ is: 'absent', exit: 1 });
    expect(agent.take({ type: 'tick' }, 2_000).does()).toContain('start');
    agent.take({ type: 'begun', process: confd, life: other }).sees({ is: 'online', life: other }).take({ type: 'tick' }, 180_000);
    agent.sees({ is: 'absent', exit: 1 });
    expect(agent.take({ type: 'tick' }, 2_000).does(), 'a steady one').toContain('start');
    agent.take({ type: 'begun', process: confd, life }).sees({ is: 'absent', exit: 1 });
    expect(agent.take({ type: 'tick' }, 2_000).does(), 'one that never came up').not.toContain('start');
  });

  it.each<[string, (agent: Agent) => void]>([
    ['Muster has heard of it', (agent) => agent.reported()],
    ['Muster was away for too long', (agent) => agent.alone(false)],
    ['it was ordered to stop', (agent) => agent.wants(aDesired({ goal: 'stop' }))],
    ['it is no more among those of the host', (agent) => agent.wants()],
  ])('that has ended is left alone where %s', (_, happens) => {
    const agent = new Agent().alone().online().sees({ is: 'absent', exit: 139 });
    happens(agent);
    const did = Array.from({ length: 10 }, () => agent.take({ type: 'tick' }, 1_000).does()).flat();
    expect(did).not.toContain('start');
  });

  it('that has ended before Muster answered this agent is left alone, as after a reboot', () => {
    const agent = new Agent().online().sees({ is: 'absent', exit: 139 }).alone();
    const did = Array.from({ length: 10 }, () => agent.take({ type: 'tick' }, 1_000).does()).flat();
    expect(did).not.toContain('start');
  });

  it('is in the log of its host with how it ended, and whether it was told to', () => {
    const died = new Agent().online().sees({ is: 'absent', exit: 139 });
    expect(died.log).toEqual([`m0d ${confd} has ended by itself (exit status 139)`]);
    const agent = new Agent()
      .online()
      .wants(aDesired({ goal: 'stop' }))
      .take({ type: 'stop-told', process: confd });
    expect(agent.sees({ is: 'absent', exit: 143 }).log).toEqual([`stopped m0d ${confd}`]);
    expect(agent.sees({ is: 'absent' }).log, 'once').toHaveLength(1);
  });

  it('is told again as running when Muster orders another start of what runs', () => {
    const agent = new Agent().online().wants(aDesired({ start: 1 }));
    expect(agent.does()).toEqual([]);
    expect(agent.said().slice(2)).toEqual([
      { type: 'process.starting', process: confd, ...life },
      { type: 'process.started', process: confd, ...life },
    ]);
  });

  it('that cannot be started, or ends before it is ready, has failed and says why', () => {
    const never = new Agent().wants(aDesired()).take({ type: 'not-begun', process: confd, why: 'Unit m0d@ not found.' });
    expect(never.said().at(-1)).toEqual({ type: 'process.failed', process: confd, reason: 'Unit m0d@ not found.' });
    const early = new Agent().wants(aDesired()).take({ type: 'begun', process: confd, life }).sees({ is: 'absent', exit: 1 });
    const reason = 'it ended while it was starting (exit status 1)';
    expect(early.said().at(-1)).toEqual({ type: 'process.failed', process: confd, ...life, reason, exit: 1 });
    expect([never.is(), early.is()]).toEqual(['idle', 'idle']);
  });

  it('that is not ready in time has failed, and is ended before its next attempt', () => {
    const agent = new Agent().wants(aDesired()).take({ type: 'begun', process: confd, life }).take({ type: 'tick' }, 180_000);
    expect(agent.is(), 'nobody has looked').toBe('starting');
    agent.sees({ is: 'starting', life });
    expect(agent.said().at(-1)).toEqual({ type: 'process.failed', process: confd, ...life, reason: 'it was not ready within 180 s' });
    expect(agent.does()).toContain('stop');
    agent.take({ type: 'stop-told', process: confd }).wants(aDesired({ start: 1 }));
    expect(agent.does()).toEqual([]);
    expect(agent.sees({ is: 'absent', exit: 143 }).does()).toEqual(['start']);
    expect(agent.said().map(({ type }) => type)).toEqual(['process.starting', 'process.failed', 'process.starting']);
  });

  it('is not late because its agent was away: what has become ready meanwhile is found', () => {
    const agent = new Agent().wants(aDesired()).take({ type: 'begun', process: confd, life });
    agent.now += 900_000;
    agent.state = firstProcesses(tableOf(agent.state), agent.state.desired, agent.now as EpochMs);
    expect(agent.take({ type: 'tick' }).does()).toEqual(['look']);
    agent.sees({ is: 'online', life });
    expect(agent.said().at(-1)).toEqual({ type: 'process.started', process: confd, ...life });
  });

  it('is not taken for ended by a look that began before it did', () => {
    const agent = new Agent().wants(aDesired({ goal: 'stop' })).take({ type: 'tick' });
    const before = [...agent.state.held.values()];
    agent.wants(aDesired()).take({ type: 'begun', process: confd, life });
    agent.take({ type: 'looked', held: before, look: { ok: true, seen: new Map([[confd, { is: 'absent' }]]) } });
    expect(agent.is()).toBe('starting');
  });

  it('that its service manager has started again is told as another life', () => {
    const agent = new Agent().online().sees({ is: 'online', life: other });
    expect(agent.said().slice(2)).toEqual([
      { type: 'process.stopped', process: confd, ...life },
      { type: 'process.starting', process: confd, ...other },
      { type: 'process.started', process: confd, ...other },
    ]);
  });
});

describe('an agent that waits for what is being done', () => {
  it('asks for no tick before that is over', () => {
    const agent = new Agent().wants(aDesired());
    agent.take({ type: 'reported', reports: agent.state.reports.out });
    expect(agent.take({ type: 'tick' }, 60_000).state.wakeAt).toBeUndefined();
    expect(agent.take({ type: 'begun', process: confd, life }).does()).toEqual(['look']);
  });
});

describe('a process that is to stop', () => {
  it('is told once, and Muster hears that it stops and has stopped', () => {
    const agent = new Agent().online().wants(aDesired({ goal: 'stop' }));
    expect(agent.does()).toEqual(['stop']);
    agent.take({ type: 'stop-told', process: confd }).take({ type: 'tick' }, 10_000);
    expect(agent.does()).not.toContain('stop');
    agent.sees({ is: 'absent', exit: 0 });
    expect(agent.said().slice(2)).toEqual([
      { type: 'process.stopping', process: confd, ...life },
      { type: 'process.stopped', process: confd, ...life, exit: 0 },
    ]);
  });

  it('is started again by the same number when it is to run again before it has stopped', () => {
    const agent = new Agent()
      .online()
      .wants(aDesired({ goal: 'stop' }))
      .take({ type: 'stop-told', process: confd })
      .wants(aDesired());
    expect(agent.does()).toEqual([]);
    expect(agent.sees({ is: 'absent', exit: 0 }).does()).toEqual(['start']);
  });

  /** One that has had its ten minutes, and has been seen to run on. */
  const deaf = () =>
    new Agent()
      .online()
      .wants(aDesired({ goal: 'stop' }))
      .take({ type: 'stop-told', process: confd })
      .take({ type: 'tick' }, 599_000)
      .sees({ is: 'stopping', life })
      .take({ type: 'tick' }, 1_000)
      .sees({ is: 'stopping', life });

  it('that will not is killed after its time, and has failed; its end is no more news', () => {
    const agent = deaf();
    expect(agent.does()).toContain('kill');
    expect(agent.said().slice(3)).toEqual([]);
    agent.take({ type: 'killed', process: confd });
    const reason = 'it did not stop within 600 s and was killed';
    expect(agent.log).toEqual([`m0d ${confd}: ${reason}`]);
    agent.sees({ is: 'absent', exit: 137 });
    expect(agent.said().slice(3)).toEqual([{ type: 'process.failed', process: confd, ...life, reason }]);
    expect(agent.wants(aDesired()).does()).toContain('start');
  });

  it('is not killed before, nor because its agent was away when its time was over', () => {
    const agent = new Agent()
      .online()
      .wants(aDesired({ goal: 'stop' }))
      .take({ type: 'stop-told', process: confd });
    expect(agent.take({ type: 'tick' }, 599_999).does()).not.toContain('kill');
    agent.now += 900_000;
    agent.state = firstProcesses(tableOf(agent.state), agent.state.desired, agent.now as EpochMs);
    expect(agent.take({ type: 'tick' }).does()).toEqual(['stop']);
    expect(agent.take({ type: 'stop-told', process: confd }).sees({ is: 'absent' }).said().at(-1)).toEqual({
      type: 'process.stopped',
      process: confd,
      ...life,
    });
  });

  it('that was not ready in time and will not stop either is killed as well; it has failed already', () => {
    const agent = new Agent().wants(aDesired()).take({ type: 'begun', process: confd, life }).take({ type: 'tick' }, 180_000);
    agent.sees({ is: 'starting', life }).take({ type: 'stop-told', process: confd }).take({ type: 'tick' }, 600_000);
    expect(agent.sees({ is: 'stopping', life }).does()).toContain('kill');
    agent.take({ type: 'killed', process: confd }).sees({ is: 'absent', exit: 137 });
    expect(agent.said().map(({ type }) => type)).toEqual(['process.starting', 'process.failed']);
  });

  it('and cannot be killed has failed, once; each further attempt to run it fails as well, until it has ended', () => {
    const agent = deaf().take({ type: 'killed', process: confd, why: 'nobody may' }).sees({ is: 'stopping', life });
    expect(agent.does()).not.toContain('kill');
    expect(agent.said().slice(3)).toEqual([
      { type: 'process.failed', process: confd, ...life, reason: 'it did not stop within 600 s and was not killed: nobody may' },
    ]);
    agent.wants(aDesired({ start: 1 })).wants(aDesired({ start: 1 }));
    const reason = 'its previous life was asked to stop and has not ended';
    expect(agent.said().slice(4)).toEqual([
      { type: 'process.starting', process: confd },
      { type: 'process.failed', process: confd, reason },
    ]);
    expect(
      agent
        .sees({ is: 'absent' })
        .wants(aDesired({ start: 2 }))
        .does(),
    ).toContain('start');
  });

  it('that cannot be told is told again', () => {
    const agent = new Agent().online().wants(aDesired({ goal: 'stop' }));
    agent.take({ type: 'stop-told', process: confd, why: 'the bus is away' });
    expect(agent.take({ type: 'tick' }, 4_999).does()).not.toContain('stop');
    expect(agent.take({ type: 'tick' }, 1).does()).toContain('stop');
  });

  it('and is no more among those of this host is stopped, and forgotten with its file', () => {
    const agent = new Agent().online().wants();
    expect(agent.does()).toEqual(['stop']);
    agent.take({ type: 'stop-told', process: confd }).sees({ is: 'absent' });
    expect(agent.does()).toEqual(['forget']);
    expect(agent.take({ type: 'forgotten', process: confd }).state.held.size).toBe(0);
  });
});

describe('a process that is watched', () => {
  const watched = (start = 0) => aDesired({ goal: 'watch', start });

  it('is told as it is found, and never started or stopped', () => {
    const agent = new Agent().wants(watched()).sees({ is: 'online', life }).sees({ is: 'stopping', life }).take({ type: 'tick' }, 700_000);
    expect(agent.does()).not.toContain('stop');
    agent.sees({ is: 'absent', exit: 0 }).wants();
    expect(agent.said().map(({ type }) => type)).toEqual(['starting', 'started', 'stopping', 'stopped'].map((what) => `process.${what}`));
    expect(agent.does()).toEqual(['forget']);
  });

  it('is started when an operator has ordered it, once', () => {
    const agent = new Agent().wants(watched());
    expect(agent.does()).toEqual([]);
    expect(agent.wants(watched(1)).does()).toEqual(['start']);
    agent.take({ type: 'begun', process: confd, life }).sees({ is: 'online', life }).sees({ is: 'absent', exit: 0 });
    expect(agent.wants(watched(1)).does()).not.toContain('start');
    expect(agent.said().at(-1)).toEqual({ type: 'process.stopped', process: confd, ...life, exit: 0 });
  });

  it('is told by its launcher, whose word about an older life is no news', () => {
    const agent = new Agent().wants(watched()).take({ type: 'told', process: confd, is: 'STARTED', life: other });
    agent.take({ type: 'told', process: confd, is: 'STOPPED', life });
    expect(agent.is()).toBe('online');
    agent.take({ type: 'told', process: confd, is: 'STOPPED', life: other });
    expect(agent.said()).toEqual([
      { type: 'process.starting', process: confd, ...other },
      { type: 'process.started', process: confd, ...other },
      { type: 'process.stopped', process: confd, ...other },
    ]);
  });
});

describe('what is said of processes', () => {
  const refused = (agent: Agent, n: number, forGood: boolean) =>
    agent.take({ type: 'not-reported', reports: agent.state.reports.out.slice(0, n), why: 'no', forGood, random: 0.5 });

  it('waits while Muster is away, and goes with the next heartbeat that is answered', () => {
    const agent = refused(new Agent().online(), 2, false);
    expect(agent.state.reports).toMatchObject({ sending: false, failures: 1 });
    expect(agent.state.reports.at).toBeGreaterThan(agent.now);
    expect(agent.take({ type: 'heard', resync: false }).state.reports).toMatchObject({ sending: true });
  });

  it('loses one word that is refused for good, and none of the others', () => {
    const agent = new Agent().online().sees({ is: 'absent' });
    const [bad, ...good] = agent.state.reports.out;
    refused(agent, 3, true);
    expect(agent.state.reports.alone).toBe(3);
    agent.take({ type: 'not-reported', reports: [bad!], why: 'not yours', forGood: true, random: 0.5 });
    expect(agent.state.reports).toMatchObject({ out: good, alone: 2, sending: true });
  });

  it('is the whole table when Muster asks, in its place among the words', () => {
    const agent = new Agent().online().take({ type: 'heard', resync: true }).take({ type: 'heard', resync: true });
    const [, , table, ...more] = agent.said();
    expect(more).toEqual([]);
    expect(table).toMatchObject({ type: 'node.table', processes: [{ process: confd, ...life, state: 'online' }] });
  });
});
