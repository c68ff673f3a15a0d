import type { Fqdn } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { type Action, decide } from '../../programs/client/decide.ts';
import type { Input } from '../../programs/client/hear.ts';
import { type CallName, type ClientRecord, type ClientState, firstState, recordOf, type Watch } from '../../programs/client/state.ts';

/** The state of a daemon after a step, the part of it that is stored, and the actions of the step. */
export type Stepped = { readonly state: ClientState; readonly record: ClientRecord; readonly actions: readonly Action[] };

/** What happened to one daemon: how it began, and its inputs with their moments. */
export type History = {
  readonly record: ClientRecord;
  readonly now: EpochMs;
  readonly found?: Fqdn;
  readonly looks: boolean;
  readonly steps: readonly { readonly now: EpochMs; readonly input: Input }[];
};

/** A number in [0, 1). */
type Random = () => number;

/** What is under way around the daemon, as it began it. */
type World = { calling?: CallName; isDriving?: true; watching?: Fqdn; looking?: Fqdn };

const nodes = ['node1.acme.test', 'node2.acme.test', 'n3.acme.test'] as readonly string[] as readonly Fqdn[];
const watches: readonly Watch[] = [
  { host: 'node1.acme.test', port: 4505, everyMs: 30_000 },
  { host: '10.0.0.7', port: 1, everyMs: 1 },
  { host: 'node2.acme.test', port: 65_535, everyMs: 12_345 },
];
const records: readonly ClientRecord[] = [
  { phase: 'unheard' },
  { phase: 'new' },
  { phase: 'orphan', token: 'kept', driven: nodes[0]! },
  { phase: 'orphan', token: 'kept' },
  { phase: 'told', token: 'kept', place: { fqdn: nodes[0]!, watch: watches[0]! } },
  { phase: 'told', token: 'kept', place: { fqdn: nodes[1]! }, driven: nodes[0]! },
  { phase: 'onboarded', token: 'kept', place: { fqdn: nodes[0]!, watch: watches[0]! }, driven: nodes[0]! },
  {
    phase: 'onboarded',
    token: 'kept',
    place: { fqdn: nodes[0]! },
    driven: nodes[0]!,
    died: { times: 3, at: 5 as EpochMs, why: 'it is failed' },
  },
  { phase: 'onboarded' },
  { phase: 'deleted', driven: nodes[1]! },
  { phase: 'deleted' },
];
const longestSteps = 60;

/**
 * A random history of a daemon, and what its model does at each step; the first of these is its state before any input.
 * Most inputs are outcomes of what the daemon has begun. Some are of nothing that is under way, and some moments lie
 * before the last one: clocks are set.
 */
export function playHistory(random: Random): { readonly history: History; readonly stepped: readonly Stepped[] } {
  const record = pick(random, records);
  const now = Math.floor(random() * 2e12) as EpochMs;
  const found = random() < 0.3 ? pick(random, nodes) : undefined;
  const looks = random() < 0.6;
  const world: World = {};
  let state = firstState(record, now, found, looks);
  let at = now;
  const steps: { now: EpochMs; input: Input }[] = [];
  const stepped: Stepped[] = [{ state, record: recordOf(state), actions: [] }];
  const count = 1 + Math.floor(random() * longestSteps);
  for (let n = 0; n < count && !(state.ended && random() < 0.8); n++) {
    const input = n === 0 ? ({ type: 'tick' } as const) : inputOf(random, world, state);
    at = momentOf(random, at, state, input);
    settle(world, input);
    const step = decide(state, input, at);
    state = step.next;
    for (const action of step.actions) begin(world, action);
    steps.push({ now: at, input });
    stepped.push({ state, record: recordOf(state), actions: step.actions });
  }
  return { history: { record, now, ...(found !== undefined && { found }), looks, steps }, stepped };
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** The moment of an input: for a tick most often the one that the daemon asked for. */
function momentOf(random: Random, before: number, { wakeAt }: ClientState, { type }: Input): EpochMs {
  const dice = random();
  if (dice < 0.02) return Math.max(0, before - Math.floor(random() * 7_200_000)) as EpochMs;
  if (dice < 0.04) return (before + Math.floor(random() * 900_000_000)) as EpochMs;
  if (type === 'tick' && wakeAt !== undefined && dice < 0.9) return Math.max(before, wakeAt) as EpochMs;
  return (before + Math.floor(random() * 3_000)) as EpochMs;
}

function inputOf(random: Random, world: World, state: ClientState): Input {
  const dice = random();
  // Software that stays up for long is looked at more often than anything else happens.
  if (dice < 0.05) return { type: 'knock-now' };
  if (dice < 0.08) return outcomeOf(random, pick(random, ['knock', 'status', 'orphan'] as const));
  if (dice < 0.1) return drivenOf(random);
  if (dice < 0.12) return { type: 'watched', fqdn: pick(random, nodes), ok: random() < 0.5, random: random() };
  if (dice < 0.14) return lookedOf(random, pick(random, nodes));
  if (world.calling && dice < 0.5) return outcomeOf(random, world.calling);
  if (world.isDriving && dice < 0.65) return drivenOf(random);
  if (world.watching && dice < 0.75) return { type: 'watched', fqdn: world.watching, ok: random() < 0.5, random: random() };
  if (world.looking && dice < 0.85) return lookedOf(random, world.looking);
  return state.ended && dice < 0.9 ? { type: 'knock-now' } : { type: 'tick' };
}

const drivenOf = (random: Random): Input => {
  const ok = random() < 0.7;
  return { type: 'driven', ok, ...(!ok && random() < 0.8 && { why: 'exit code 3' }), random: random() };
};

function lookedOf(random: Random, fqdn: Fqdn): Input {
  const ran = pick(random, [undefined, { ok: true }, { ok: false, why: 'salt-minion.service is inactive' }] as const);
  return { type: 'looked', fqdn, ran, random: random() };
}

/** The outcome of a call: any byte, a place, none, or a failure. */
function outcomeOf(random: Random, call: CallName): Input {
  const dice = random();
  const retryAfterMs = random() < 0.5 ? 0 : Math.round(random() * 7_200_000);
  if (dice < 0.12) return { type: 'failed', call, why: 'away', unknown: random() < 0.3, retryAfterMs, random: random() };
  const headers = {
    call,
    ...(random() < 0.4 && { token: `t${Math.floor(random() * 9)}` }),
    ...(random() < 0.05 && { knock: true }),
    ...(random() < 0.9 && { nextMs: pick(random, [0, 0.5, 1_000, 4_999.5, 60_000, 21_600_000, 1e9]) }),
    ...(random() < 0.6 && { watch: pick(random, watches) }),
    random: random(),
  };
  if (call !== 'orphan')
    return { type: 'byte', byte: pick(random, ['0', '1', '1', '1', '2', '2', '2', dice < 0.5 ? '3' : '1'] as const), ...headers };
  return random() < 0.4 ? { type: 'no-place', ...headers } : { type: 'place', fqdn: pick(random, nodes), ...headers };
}

/** What the world no longer waits for after an input. */
function settle(world: World, { type }: Input): void {
  if (type === 'byte' || type === 'place' || type === 'no-place' || type === 'failed') delete world.calling;
  if (type === 'driven') delete world.isDriving;
  if (type === 'watched') delete world.watching;
  if (type === 'looked') delete world.looking;
}

function begin(world: World, action: Action): void {
  if (action.do === 'knock' || action.do === 'status' || action.do === 'orphan') world.calling = action.do;
  if (action.do === 'start' || action.do === 'stop') world.isDriving = true;
  if (action.do === 'watch') world.watching = action.fqdn;
  if (action.do === 'look') world.looking = action.fqdn;
}
