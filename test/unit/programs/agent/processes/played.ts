import fc from 'fast-check';
import { expect } from 'vitest';
import { type Fid, fidOf } from '../../../../../lib/core/fid.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import type { DesiredProcess } from '../../../../../lib/nodes/desired/desired.ts';
import { type Action, decide } from '../../../../../programs/agent/processes/decide.ts';
import type { Input } from '../../../../../programs/agent/processes/hear.ts';
import type { Seen } from '../../../../../programs/agent/processes/runner.ts';
import { reportedTable } from '../../../../../programs/agent/processes/shown.ts';
import {
  firstProcesses,
  HeldDesired,
  type HostReport,
  type ProcessesState,
  Table,
  tableOf,
} from '../../../../../programs/agent/processes/state.ts';
import type { Life } from '../../../../../programs/agent/supervised/thing.ts';

export const fids = [1, 2, 3].map((n) => fidOf('process', n));
export const aDesired = (over: Partial<DesiredProcess> = {}): DesiredProcess => ({
  process: fids[0]!,
  prefix: 'm0d',
  goal: 'run',
  start: 0,
  environment: [],
  startMs: 180_000,
  stopMs: 600_000,
  ...over,
});
export const emptyTable: Table = { version: 1, name: 'table0001', next: 1, held: [], out: [] };

/** What happens next to a host with three processes; `pick` and `which` choose among what there is. */
export const turn = fc.record({
  what: fc.constantFrom(
    'time',
    'time',
    'done',
    'done',
    'done',
    'done',
    'order',
    'goal',
    'ready',
    'ready',
    'end',
    'crash',
    'launch',
    'resync',
    'listed',
  ),
  which: fc.nat({ max: 2 }),
  pick: fc.nat({ max: 9 }),
});
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

type Living = { life: Life; is: 'starting' | 'online' | 'stopping' };
/** What is under way; `seen` is what a look found when it began. */
type UnderWay = { action: Exclude<Action, { do: 'say' }>; seen?: ReadonlyMap<Fid, Seen> };

/**
 * A host whose processes start, get ready, stop and die as the turns say, with an agent that is killed and started
 * again at any point.
 */
export class PlayedHost {
  now = 1_000_000 as EpochMs;
  state: ProcessesState;
  readonly wanted = new Map<Fid, DesiredProcess>();
  readonly living = new Map<Fid, Living>();
  readonly accepted: HostReport[] = [];
  /** The values of `start` that a process was started by since it was last wanted to stop, as its agent heard it. */
  readonly startedBy = new Map<Fid, number[]>();
  underWay: UnderWay[] = [];
  #pid = 100;
  #disk: { table: string; desired: string | undefined };

  constructor(wanted: readonly DesiredProcess[]) {
    for (const one of wanted) this.wanted.set(one.process, one);
    this.state = firstProcesses(emptyTable, undefined, this.now);
    this.#disk = { table: JSON.stringify(tableOf(this.state)), desired: undefined };
    this.tell();
  }

  /** Muster's desired state reaches the agent. */
  tell(): void {
    for (const [process, { goal }] of this.wanted) if (goal === 'stop') this.startedBy.delete(process);
    for (const process of this.startedBy.keys()) if (!this.wanted.has(process)) this.startedBy.delete(process);
    this.take({ type: 'desired', rev: 1, processes: [...this.wanted.values()] });
  }

  take(input: Input): void {
    const { next, actions } = decide(this.state, input, this.now);
    const news = next.reports.out.filter(({ n }) => n >= this.state.reports.next);
    this.state = next;
    if (input.type === 'tick')
      expect(next.wakeAt ?? Number.POSITIVE_INFINITY, 'a tick is not asked for at once again').toBeGreaterThan(this.now);
    for (const word of news) this.#isTrue(word);
    // As the keeper writes: before anything is done that rests on it, and a while later.
    const isPromised = input.type === 'desired' || input.type === 'told' || input.type === 'tick';
    if (isPromised || actions.some((action) => action.do !== 'look' && action.do !== 'say')) this.#write();
    for (const action of actions) if (action.do !== 'say') this.#begin(action);
  }

  #write(): void {
    const { desired } = this.state;
    this.#disk = { table: JSON.stringify(tableOf(this.state)), desired: desired && JSON.stringify(desired) };
  }

  /** The end of a life is told once it has come. */
  #isTrue(word: HostReport): void {
    if (word.type !== 'process.stopped' && !(word.type === 'process.failed' && word.data.reason.startsWith('it ended'))) return;
    const { process, pid } = word.data;
    const living = this.living.get(process);
    if (living) expect(pid, `${word.type} of ${process} while it lives`).not.toBe(living.life.pid);
    // What others start may have begun since the look that found nothing.
    if (living && this.wanted.get(process)?.goal !== 'watch')
      expect(pid, `${word.type} of ${process} says which life it was`).toBeDefined();
  }

  #begin(action: UnderWay['action']): void {
    const about = subjectOf(action);
    expect(
      this.underWay.filter((other) => subjectOf(other.action) === about),
      `one thing at a time about ${about}`,
    ).toEqual([]);
    if (action.do === 'start') {
      const { process, start } = action.process;
      const before = this.startedBy.get(process) ?? [];
      expect(before, `${process} is started once for each order`).not.toContain(start);
      this.startedBy.set(process, [...before, start]);
    }
    if (action.do === 'kill') {
      const { asked, since, stopMs, unmanaged } = action.held;
      expect([asked, unmanaged], 'whoever is killed is ours and was told to stop').toEqual([true, undefined]);
      expect(this.now, 'and has had its time').toBeGreaterThanOrEqual(since + stopMs);
    }
    this.underWay.push({ action, ...(action.do === 'look' && { seen: this.#seen() }) });
  }

  #seen(): ReadonlyMap<Fid, Seen> {
    return new Map(fids.map((fid): [Fid, Seen] => [fid, this.living.get(fid) ?? { is: 'absent', exit: 1 }]));
  }

  /** One that is under way is done on the host; gives what its agent hears, if it lives. */
  #carried({ action, seen }: UnderWay, pick: number): Input {
    switch (action.do) {
      case 'start': {
        const { process } = action.process;
        if (pick === 9) return { type: 'not-begun', process, why: 'no such command' };
        if (!this.living.has(process)) this.#begins(process);
        return { type: 'begun', process, ...(pick < 5 && { life: this.living.get(process)!.life }) };
      }
      case 'stop': {
        const { process } = action.held;
        if (pick === 9) return { type: 'stop-told', process, why: 'not now' };
        const living = this.living.get(process);
        if (living) living.is = 'stopping';
        return { type: 'stop-told', process };
      }
      case 'kill': {
        const { process } = action.held;
        if (pick === 9) return { type: 'killed', process, why: 'nobody may' };
        this.living.delete(process);
        return { type: 'killed', process };
      }
      case 'forget':
        return { type: 'forgotten', process: action.held.process };
      case 'look':
        return {
          type: 'looked',
          held: action.held,
          look: pick === 9 ? { ok: false, why: 'it hangs' } : { ok: true, seen: pick < 5 ? seen! : this.#seen() },
        };
      case 'report':
        return this.#reported(action.reports, pick);
    }
  }

  #reported(words: readonly HostReport[], pick: number): Input {
    if (pick === 9) return { type: 'not-reported', reports: words, why: 'away', forGood: false, random: 0.5 };
    const last = this.accepted.at(-1)?.n ?? 0;
    for (const word of words.filter(({ n }) => n <= last)) expect(this.accepted, 'a number is never of another word').toContainEqual(word);
    this.accepted.push(...words.filter(({ n }) => n > last));
    return pick === 8
      ? { type: 'not-reported', reports: words, why: 'the answer was lost', forGood: false, random: 0.5 }
      : { type: 'reported', reports: words };
  }

  #begins(process: Fid): void {
    this.#pid += 1;
    this.living.set(process, { life: { pid: this.#pid, born: `boot.${this.#pid}` }, is: 'starting' });
  }

  /** The agent is killed and starts again; what was under way may have happened, or not. */
  crash(pick: number): void {
    this.underWay.forEach((one, i) => void ((pick + i) % 2 === 0 && this.#carried(one, 0)));
    this.underWay = [];
    const { table, desired } = this.#disk;
    this.state = firstProcesses(
      Table.parse(JSON.parse(table)),
      desired === undefined ? undefined : HeldDesired.parse(JSON.parse(desired)),
      this.now,
    );
    this.take({ type: 'tick' });
  }

  /** What is under way is done, one of it by chance. */
  done(pick: number): void {
    const [one] = this.underWay.splice(pick % Math.max(1, this.underWay.length), 1);
    if (one) this.take(this.#carried(one, pick));
  }

  play({ what, which, pick }: Turn): void {
    const process = fids[which]!;
    const wanted = this.wanted.get(process);
    const living = this.living.get(process);
    switch (what) {
      case 'time':
        this.now = Math.max(this.now, this.state.wakeAt ?? this.now) as EpochMs;
        this.take({ type: 'tick' });
        break;
      case 'done':
        this.done(pick);
        break;
      case 'order':
      case 'goal':
        if (wanted) this.wanted.set(process, changedBy(wanted, what));
        this.tell();
        break;
      case 'listed':
        if (wanted && pick < 2) this.wanted.delete(process);
        else if (!wanted) this.wanted.set(process, aDesired({ process, start: this.#pid }));
        this.tell();
        break;
      case 'ready':
        if (living?.is === 'starting') living.is = 'online';
        break;
      case 'end':
        if (pick < 5 || living?.is === 'stopping') this.living.delete(process);
        this.take({ type: 'ended' });
        break;
      case 'launch':
        this.#launch(process, pick);
        break;
      case 'resync':
        this.take({ type: 'heard', resync: pick < 5 });
        break;
      case 'crash':
        this.crash(pick);
        break;
    }
  }

  /** Somebody else starts one that Muster does not drive, and says so. */
  #launch(process: Fid, pick: number): void {
    if (this.wanted.get(process)?.goal !== 'watch' || this.living.has(process)) return;
    this.#begins(process);
    const living = this.living.get(process)!;
    living.is = 'online';
    if (pick < 5) this.take({ type: 'told', process, is: 'STARTED', life: living.life });
  }

  /** Everything goes well from here on, until nothing happens any more. */
  settle(): void {
    for (let i = 0; i < 60; i += 1) {
      this.now = (this.now + 20_000) as EpochMs;
      this.take({ type: 'tick' });
      while (this.underWay.length > 0) this.done(0);
      for (const [process, living] of this.living) {
        if (living.is === 'stopping') this.living.delete(process);
        else living.is = 'online';
      }
    }
  }

  /** What the agent has on record, and what runs. */
  records(): { recorded: readonly object[]; running: readonly object[] } {
    const running = [...this.living].filter(([process]) => this.wanted.has(process) || this.state.held.has(process));
    return {
      recorded: reportedTable(this.state.held.values()).processes.map(({ process, pid, born, state }) => ({ process, pid, born, state })),
      running: running.map(([process, { life, is }]) => ({ process, ...life, state: is })).sort((a, b) => (a.process < b.process ? -1 : 1)),
    };
  }
}

function changedBy(wanted: DesiredProcess, what: 'order' | 'goal'): DesiredProcess {
  if (what === 'order') return { ...wanted, start: wanted.start + 1 };
  return wanted.goal === 'watch' ? wanted : { ...wanted, goal: wanted.goal === 'run' ? 'stop' : 'run' };
}

const subjectOf = (action: UnderWay['action']): string => {
  if (action.do === 'start') return action.process.process;
  return action.do === 'stop' || action.do === 'kill' || action.do === 'forget' ? action.held.process : action.do;
};
