import fc from 'fast-check';
import { expect } from 'vitest';
import { InstanceId, ServiceName, ServiceTypeName } from '../../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import type { DesiredService } from '../../../../../lib/nodes/desired/desired.ts';
import type { UnnumberedReport } from '../../../../../programs/agent/processes/words.ts';
import { allowedBy, builtInWord } from '../../../../../programs/agent/services/allowed.ts';
import { type Action, decide } from '../../../../../programs/agent/services/decide.ts';
import type { Input } from '../../../../../programs/agent/services/hear.ts';
import type { Seen } from '../../../../../programs/agent/services/seen.ts';
import { firstServices, HeldDesired, type ServicesState, Table, tableText } from '../../../../../programs/agent/services/state.ts';
import type { Life } from '../../../../../programs/agent/supervised/thing.ts';

/** The types that a host of the tests runs. */
export const allowed = allowedBy([builtInWord, 'process', 'echo']);
export const echo = ServiceTypeName.parse('echo');
export const instances = ['k0.1', 'k0.2', 'k0.3'].map((text) => InstanceId.parse(text));
export const lifeOf = (n: number): Life => ({ pid: 100 + n, born: `boot.${n}` });
export const aService = (over: Partial<DesiredService> = {}): DesiredService => ({
  service: echo,
  name: ServiceName.parse('echo'),
  instance: instances[0]!,
  goal: 'run',
  program: { is: 'command', start: ['/bin/echo'] },
  messages: [],
  configuration: '{}',
  asks: [],
  startMs: 180_000,
  stopMs: 30_000,
  askMs: 10_000,
  ...over,
});

/** What happens next to a host with one service; `pick` chooses among what there is. */
export const turn = fc.record({
  what: fc.constantFrom(
    'time',
    'time',
    'done',
    'done',
    'done',
    'done',
    'again',
    'goal',
    'end',
    'ask',
    'announce',
    'fail',
    'crash',
    'listed',
  ),
  pick: fc.nat({ max: 9 }),
});
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;
type Doing = Exclude<Action, { do: 'say' | 'tell' }>;

/**
 * A host whose service starts, gets ready, stops and dies as the turns say, with an agent that is killed and started
 * again at any point.
 */
export class PlayedHost {
  now = 1_000_000 as EpochMs;
  state: ServicesState = firstServices({ table: undefined, desired: undefined }, allowed, this.now);
  wanted: DesiredService | undefined;
  living: { life: Life; instance: InstanceId; told: boolean } | undefined;
  readonly words: UnnumberedReport[] = [];
  /** What was answered, by the id of the question. */
  readonly messages = new Map<string, number>();
  underWay: Doing[] = [];
  #n = 1;
  #disk = { table: tableText(this.state), desired: '' };
  readonly #begun = new Set<InstanceId>();

  constructor(wanted: DesiredService) {
    this.wanted = wanted;
    this.tell();
  }

  tell(): void {
    this.take({ type: 'desired', rev: 1, services: this.wanted ? [this.wanted] : [] });
  }

  take(input: Input): void {
    const { next, actions } = decide(this.state, input, this.now);
    this.state = next;
    if (input.type === 'tick')
      expect(next.wakeAt ?? Number.POSITIVE_INFINITY, 'a tick is not asked for at once again').toBeGreaterThan(this.now);
    for (const action of actions) if (action.do === 'tell') this.words.push(...action.reports);
    // As the keeper writes: before anything is done or said that rests on it.
    if (actions.some(({ do: does }) => does !== 'look' && does !== 'say') || input.type === 'desired') this.#write();
    for (const action of actions) if (action.do !== 'say' && action.do !== 'tell') this.#begin(action);
  }

  #write(): void {
    this.#disk = { table: tableText(this.state), desired: JSON.stringify(this.state.desired) };
  }

  #begin(action: Doing): void {
    const lane = laneOf(action);
    expect(this.underWay.map(laneOf), 'one thing at a time').not.toContain(lane);
    if (action.do === 'start') {
      expect([...this.#begun], 'no instance is started twice').not.toContain(action.service.instance);
      expect(this.living, 'none is started beside another').toBeUndefined();
      this.#begun.add(action.service.instance);
    }
    this.underWay.push(action);
  }

  /** One that is under way is done on the host; gives what its agent hears, if it lives. */
  #carried(action: Doing, pick: number): Input {
    switch (action.do) {
      case 'start': {
        const { service, instance } = action.service;
        if (pick === 9) return { type: 'not-begun', service, why: 'no such command' };
        this.#n += 1;
        this.living = { life: lifeOf(this.#n), instance, told: false };
        return { type: 'begun', service, ...(pick < 5 && { life: this.living.life }) };
      }
      case 'signal': {
        const { held, signal } = action;
        if (pick === 9) return { type: 'signalled', service: held.service, signal, why: 'not now' };
        if (this.living) this.living.told = true;
        if (signal === 'SIGKILL') this.living = undefined;
        return { type: 'signalled', service: held.service, signal };
      }
      case 'forget':
        return { type: 'forgotten', service: action.held.service };
      case 'look': {
        const seen: Seen = this.living ? { is: 'running', life: this.living.life } : { is: 'absent', ...(pick < 5 && { exit: pick }) };
        return { type: 'looked', held: action.held, look: new Map([[echo, seen]]) };
      }
      case 'command': {
        const { held, run } = action;
        if (run.ask !== undefined) this.messages.set(run.ask, (this.messages.get(run.ask) ?? 0) + 1);
        return {
          type: 'answered',
          service: echo,
          run,
          instance: held.instance,
          result: pick === 9 ? { says: '' } : { exit: pick % 2, says: 'so' },
        };
      }
    }
  }

  /** The agent is killed and starts again; what was under way may have happened, or not. */
  crash(pick: number): void {
    this.underWay.forEach((one, i) => void ((pick + i) % 2 === 0 && this.#carried(one, 0)));
    this.underWay = [];
    const { table, desired } = this.#disk;
    this.state = firstServices(
      { table: Table.parse(JSON.parse(table)), desired: HeldDesired.safeParse(JSON.parse(desired)).data },
      allowed,
      this.now,
    );
    this.take({ type: 'tick' });
  }

  done(pick: number): void {
    const [one] = this.underWay.splice(pick % Math.max(1, this.underWay.length), 1);
    if (one) this.take(this.#carried(one, pick));
  }

  play({ what, pick }: Turn): void {
    const { wanted } = this;
    switch (what) {
      case 'time':
        this.now = Math.max(this.now, this.state.wakeAt ?? this.now) as EpochMs;
        this.take({ type: 'tick' });
        break;
      case 'done':
        this.done(pick);
        break;
      case 'again':
        if (wanted) this.wanted = { ...wanted, goal: 'run', instance: this.#next() };
        this.tell();
        break;
      case 'goal':
        if (wanted) this.wanted = { ...wanted, goal: 'stop' };
        this.tell();
        break;
      case 'listed':
        this.wanted = wanted && pick < 3 ? undefined : (wanted ?? aService({ instance: this.#next() }));
        this.tell();
        break;
      case 'ask':
        this.#n += 1;
        if (wanted) this.wanted = { ...wanted, asks: [...wanted.asks.slice(-2), { id: `a${this.#n}`, what: 'message', message: echo }] };
        this.tell();
        break;
      case 'end':
        if (pick < 5 || this.living?.told) this.living = undefined;
        this.take({ type: 'ended' });
        break;
      case 'announce':
      case 'fail':
        this.#says(what);
        break;
      case 'crash':
        this.crash(pick);
        break;
    }
  }

  /** What runs says something of itself; the agent hears it only of the instance that it has on record. */
  #says(what: 'announce' | 'fail'): void {
    const held = this.state.held.get(echo);
    if (!this.living || !held || held.busy === 'start' || held.is === 'idle' || held.instance !== this.living.instance) return;
    const report = what === 'announce' ? ({ is: 'stopping' } as const) : ({ is: 'failed', reason: 'it says so' } as const);
    this.take({ type: 'told', service: echo, instance: held.instance, report });
    this.#write();
  }

  #next(): InstanceId {
    this.#n += 1;
    return InstanceId.parse(`k1.${this.#n}`);
  }

  /** Everything goes well from here on, until nothing happens any more. */
  settle(): void {
    for (let i = 0; i < 40; i += 1) {
      this.now = (this.now + 20_000) as EpochMs;
      this.take({ type: 'tick' });
      for (let n = 0; this.underWay.length > 0; n += 1) {
        expect(n, 'it comes to rest').toBeLessThan(100);
        this.done(0);
      }
      if (this.living?.told) this.living = undefined;
    }
  }
}

const laneOf = (action: Doing): string => (action.do === 'look' || action.do === 'command' ? action.do : 'service');
