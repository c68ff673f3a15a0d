import { retryAfterMsOf } from '../../lib/api/backoff.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { type Problem, problemTypeOf } from '../../lib/api/problem.ts';
import { machinesPerMinute } from '../../lib/clients/onboarding-tokens/routes.ts';
import { contract } from '../../lib/contract.ts';
import type { NodeId, ZoneName } from '../../lib/core/ids.ts';
import { minuteMs, secondMs } from '../../lib/core/time.ts';
import { world } from './machine.ts';

/** The message for the person when a deployment refuses something that a load test needs. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly problem: Problem;

  constructor(what: string, problem: Problem) {
    super(`${what}: ${problem.detail || problem.title}`);
    this.problem = problem;
  }
}

/** The parts of a deployment that belong to this run. */
export type Registration = {
  readonly onboardingToken: string;
  readonly deployment: string;
  readonly version: string;
  /**
   * Takes everything back: token, rule, these nodes and client systems, and the zone if it was made. Gives
   * what could not be taken back.
   */
  remove(nodes: readonly NodeId[], fps: readonly string[]): Promise<string[]>;
  /** Takes back everything that lets machines in, and leaves the machines. */
  close(): Promise<string[]>;
};

/**
 * The wanted registration: a zone, a rule that admits these names, and a token that accepts so many client systems, of
 * which `rate` start a second.
 */
type Wanted = {
  readonly run: string;
  readonly zone: ZoneName;
  readonly pattern: string;
  readonly nodes: number;
  readonly clients: number;
  readonly rate: number;
};

/** Takes one thing back; gives undefined when it is gone, else the reason why not. */
type Undo = () => Promise<string | undefined>;

/** Everything of a run has this tag, or a name that begins with it. */
const loadtestTag = 'loadtest';

/**
 * Registers what a run needs, with an administrator's rights. Throws {@link Refused}, and takes back then what was
 * registered before.
 */
export async function register(api: ApiClient, wanted: Wanted): Promise<Registration> {
  const { zone } = wanted;
  const lettingIn: Undo[] = [];
  const forZone: Undo[] = [];
  const close = () => inTurn(lettingIn.splice(0).reverse());
  try {
    const { deployment, version } = await answered('the deployment does not report its status', api(contract.status));
    if (await zoneMade(api, zone)) forZone.push(() => undone(`zone ${zone}`, () => api(contract.deleteZone, { params: { zone } })));
    const onboardingToken = await letIn(api, wanted, lettingIn);
    return {
      onboardingToken,
      deployment,
      version,
      close,
      remove: async (nodes, fps) => [...(await close()), ...(await inTurn([...removals(api, nodes, fps), ...forZone]))],
    };
  } catch (error) {
    await close();
    await inTurn(forZone);
    throw error;
  }
}

/** Makes a token and a rule. */
async function letIn(api: ApiClient, { run, zone, pattern, nodes, clients, rate }: Wanted, undo: Undo[]): Promise<string> {
  const name = `${loadtestTag}-${run}`;
  await answered('the nodes are not admitted', api(contract.addAdmissionRule, { body: { name, nodes: pattern, zone, left: nodes } }));
  undo.push(() => undone(`admission rule ${name}`, () => api(contract.deleteAdmissionRule, { params: { name } }), 'unknown-rule'));
  const tags = [loadtestTag];
  const perMinute = rate * 60 > machinesPerMinute.usual ? { perMinute: Math.min(rate * 60, machinesPerMinute.most) } : {};
  const { secret, token } = await answered(
    'no onboarding token is made',
    api(contract.createOnboardingToken, { body: { zone, tags, groups: tags, uses: Math.max(1, clients), ...perMinute } }),
  );
  undo.push(() => undone(`onboarding token ${token.id}`, () => api(contract.revokeOnboardingToken, { params: { id: token.id } })));
  return secret;
}

/** Creates the zone; gives whether it is a new one. One that exists already is used as it is, and stays. */
async function zoneMade(api: ApiClient, zone: ZoneName): Promise<boolean> {
  const there = await api(contract.getZone, { params: { zone } });
  if (there.ok) return false;
  const made = await api(contract.createZone, { body: { name: zone } });
  if (!made.ok) throw new Refused(`zone ${zone} is not created`, made.problem);
  return made.status === 201;
}

/** The most client systems the API takes in one call. */
const atOnce = 200;

/**
 * Removes nodes and client systems. The keys of client systems are lost once the run is over, so they are banned: that
 * is how an accepted key ceases to count.
 */
function removals(api: ApiClient, nodes: readonly NodeId[], fps: readonly string[]): Undo[] {
  const packs = Array.from({ length: Math.ceil(fps.length / atOnce) }, (_, n) => fps.slice(n * atOnce, (n + 1) * atOnce));
  return [
    ...nodes.map((id) => () => undone(`node ${id}`, () => api(contract.removeNode, { params: { id } }))),
    ...packs.map((systems) => () => undone(`${systems.length} client systems`, () => api(contract.ban, { body: { systems } }))),
  ];
}

/** Runs them one after the other; gives the reasons of those that are not done. */
async function inTurn(all: readonly Undo[]): Promise<string[]> {
  const reasons: string[] = [];
  for (const one of all) {
    const why = await one();
    if (why !== undefined) reasons.push(why);
  }
  return reasons;
}

/**
 * How long a removal is tried again that is refused for now, or not answered. A zone is empty once a sweep has seen its
 * nodes go, callers may be rate-limited, and a deployment that was overloaded may let several calls run into their 30
 * s.
 */
const triesForMs = 2 * minuteMs;

async function undone(what: string, call: () => Promise<Asked>, isGone?: string): Promise<string | undefined> {
  const until = world.now() + triesForMs;
  for (;;) {
    try {
      const answer = await call();
      if (answer.ok || problemTypeOf(answer.problem) === isGone) return undefined;
      const { status, detail, title } = answer.problem;
      if (!forNow.has(status) || world.now() > until) return `${what}: ${detail || title}`;
      await new Promise<void>((resolve) => world.after(Math.max(secondMs, retryAfterMsOf(answer.headers)), resolve));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (!isSlow(error) || world.now() > until) return `${what}: ${error.message}`;
    }
  }
}

/**
 * Whether a call timed out, as at a deployment that has yet to recover from the load; one that is gone refuses at once.
 */
const isSlow = ({ cause }: Unreachable): boolean => cause instanceof Error && cause.name === 'TimeoutError';

/** Statuses of temporary refusals. */
const forNow: ReadonlySet<number> = new Set([409, 412, 429, 503]);

type Asked = { readonly ok: true } | { readonly ok: false; readonly headers: Headers; readonly problem: Problem };

async function answered<T>(what: string, call: Promise<{ ok: true; body: T } | { ok: false; problem: Problem }>): Promise<T> {
  const answer = await call;
  if (!answer.ok) throw new Refused(what, answer.problem);
  return answer.body;
}
