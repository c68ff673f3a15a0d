import { contract } from '../../../../lib/contract.ts';
import type { Fqdn, ZoneName } from '../../../../lib/core/ids.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import type { PooledHostView } from '../../../../lib/nodes/admission/routes.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { printable } from '../../output/printable.ts';
import { collect } from '../../pages.ts';
import { inParallel, patiently } from '../mero/loading.ts';
import { lookUntil } from '../mero/waiting.ts';
import { filled, type StartTemplate } from './start-command.ts';

/**
 * Hosts that should be nodes of a zone: what they run, the command that starts an agent on one, and how long in ms they
 * are waited for.
 */
export type Starting = {
  readonly zone: ZoneName;
  readonly kind: NodeView['kind'];
  readonly hosts: readonly Fqdn[];
  readonly template: StartTemplate | undefined;
  readonly waitMs: number;
  /** Whether they may be watched at an address that they ask for and that is not their own. */
  readonly anyWatch?: boolean;
};
/** The state of a host: a node that calls in, one that waits for a majority of the stations, or neither. */
export type Standing = 'there' | 'waiting' | 'away';
/** The outcome for a host: `because` explains it in a sentence. */
export type HostOutcome = { readonly host: Fqdn; readonly outcome: 'was there' | 'started' | 'failed'; readonly because: string };

/** So many commands run at once: each is a process of this machine, and most of its time waits for another. */
const atOnce = 16;
/** A command that starts an agent may take so long, in ms. */
const commandMs = minuteMs;
/**
 * A token ends so long after it was made, in ms: the command has a minute, and the agent asks again for as long as it
 * is of use.
 */
const tokenMs = 10 * minuteMs;
/** The most hosts that are let in by one call. */
const admitMax = 100;

/**
 * The state of each of these hosts in a zone. Of several nodes of a name, all but one of which were replaced or given
 * up, it is that of the one.
 */
export async function standingsOf(cli: Cli, zone: ZoneName, hosts: readonly string[]): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>(hosts.map((host) => [host, 'away']));
  for (const node of await nodesOf(cli, zone)) {
    const standing = standingOf(node);
    if (standing !== 'away' && standings.has(node.fqdn)) standings.set(node.fqdn, standing);
  }
  return standings;
}

function standingOf({ status, removedAt }: NodeView): Standing {
  if (status === 'waiting') return 'waiting';
  return removedAt !== undefined || ['absent', 'down', 'dropped'].includes(status) ? 'away' : 'there';
}

async function nodesOf(cli: Cli, zone: ZoneName): Promise<readonly NodeView[]> {
  const page = async (at: object) => (await cli.call(contract.listNodes, { query: { zone, ...at } })).body;
  return (await collect<NodeView>(Number.POSITIVE_INFINITY, page)).items;
}

const awayOf = (standings: ReadonlyMap<string, Standing>): string[] =>
  [...standings].flatMap(([host, one]) => (one === 'there' ? [] : [host]));

/**
 * Makes hosts nodes of a zone where they are not yet: lets them in with the keys that they have, starts their agents
 * where there is a command for that, and waits for them. Gives the outcome for each, in their order.
 */
export async function startHosts(cli: Cli, starting: Starting): Promise<HostOutcome[]> {
  const { zone, hosts, template, waitMs } = starting;
  const before = await standingsOf(cli, zone, hosts);
  const failed = await reinstalledOf(cli, zone, hosts);
  const away = hosts.filter((host) => before.get(host) === 'away' && !failed.has(host));
  await letIn(cli, starting, away);
  if (template) for (const [host, why] of await runOn(cli, { ...starting, template }, away)) failed.set(host, why);
  const after = await waitForHosts(
    cli,
    zone,
    hosts.filter((host) => before.get(host) !== 'there' && !failed.has(host)),
    waitMs,
  );
  return hosts.map((host) => outcomeOf(host, before.get(host)!, failed.get(host), after.get(host)));
}

function outcomeOf(host: Fqdn, before: Standing, failed: string | undefined, after: Standing | undefined): HostOutcome {
  if (failed !== undefined) return { host, outcome: 'failed', because: failed };
  if (before === 'there') return { host, outcome: 'was there', because: 'it is a node already' };
  if (after === 'there') return { host, outcome: 'started', because: 'it has called in' };
  if (after === 'waiting') return { host, outcome: 'failed', because: 'it has called in, and waits for a majority of the stations' };
  return { host, outcome: 'failed', because: 'Timeout.' };
}

/**
 * The reasons why hosts cannot come in whose names other nodes have: a machine that was reinstalled comes with another
 * key, and waits in the pool until its former node is given up. Of several that wait under a name, the one that came
 * last is named: it is of the last installation. One that has waited since before the node joined is none that the node
 * was.
 */
export async function reinstalledOf(cli: Cli, zone: ZoneName, hosts: readonly Fqdn[]): Promise<Map<Fqdn, string>> {
  const page = async (at: object) => (await cli.call(contract.listNodePool, { query: at })).body;
  const { items } = await collect<PooledHostView>(Number.POSITIVE_INFINITY, page);
  const waiting = items
    .filter(({ fqdn, standing }) => standing !== 'rejected' && hosts.includes(fqdn))
    .sort((a, b) => Date.parse(a.firstSeenAt) - Date.parse(b.firstSeenAt));
  if (waiting.length === 0) return new Map();
  const holders = (await nodesOf(cli, zone)).filter(({ status, removedAt }) => status !== 'dropped' && removedAt === undefined);
  return new Map(
    waiting.flatMap(({ fqdn, fp, fingerprint, firstSeenAt }) => {
      const isFormer = ({ id, joinedAt }: NodeView) => id !== `n${fp.slice(0, 16)}` && Date.parse(joinedAt) <= Date.parse(firstSeenAt);
      const node = holders.find((one) => one.fqdn === fqdn && isFormer(one));
      return node ? [[fqdn, `${anotherKey(node)}${cli.terminal.name} node replace ${fqdn} ${fingerprint}`] as const] : [];
    }),
  );
}

const anotherKey = ({ id, status }: NodeView): string =>
  `node ${id} of this name is ${status}, and a machine with another key waits in the pool under the same name. If the host was reinstalled, ${status === 'down' ? 'run' : 'run this once that node is down'}: `;

/** Waits for hosts to call in, for so many ms at the longest, and gives the state of each then. */
export async function waitForHosts(cli: Cli, zone: ZoneName, hosts: readonly string[], waitMs: number): Promise<Map<string, Standing>> {
  if (hosts.length === 0) return new Map();
  const { now } = await lookUntil(cli, () => standingsOf(cli, zone, hosts), {
    timeoutMs: waitMs,
    ends: (standings) => (awayOf(standings).length === 0 ? 'all' : undefined),
    progressText: (standings) => `${hosts.length - awayOf(standings).length} of ${hosts.length} hosts have called in`,
  });
  return now;
}

/**
 * Lets in those that wait in the pool, were removed or were given up, with the keys that they have; prints their names.
 */
async function letIn(cli: Cli, { zone, kind, anyWatch }: Starting, hosts: readonly Fqdn[]): Promise<void> {
  for (let at = 0; at < hosts.length; at += admitMax) {
    const some = hosts.slice(at, at + admitMax);
    const { results } = (await cli.call(contract.admitHosts, { body: { hosts: some, zone, kind, ...(anyWatch && { anyWatch }) } })).body;
    for (const { host, done, needs, because } of results)
      if (done || needs) cli.say(printable(`${host} is ${done ? '' : 'not '}let in: ${because}`));
  }
}

/** Warns when hosts would get an address that only this machine reaches. */
function sayIfLoopback(cli: Cli, template: StartTemplate): void {
  if (!template.some((word) => word.includes('{endpoint}'))) return;
  const { hostname } = new URL(cli.endpoint());
  if (hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]')
    cli.say(`hosts get the address ${cli.endpoint()}, which only this machine reaches: give one that they reach with --endpoint`);
}

/**
 * Runs the command for each host, several at once; gives the reason for each host where it failed, after printing its
 * output.
 */
async function runOn(cli: Cli, starting: Starting & { template: StartTemplate }, hosts: readonly Fqdn[]): Promise<Map<Fqdn, string>> {
  const failed = new Map<Fqdn, string>();
  if (hosts.length > 0) sayIfLoopback(cli, starting.template);
  await inParallel(hosts, atOnce, async (host) => {
    const token = await tokenFor(cli, host, starting);
    const words = filled(starting.template, { host, token, endpoint: cli.endpoint(), zone: starting.zone, kind: starting.kind });
    const end = await cli.terminal.run(words, { input: `${token}\n`, timeoutMs: commandMs });
    if (end.ok) return;
    const hidden = (text: string): string => text.replaceAll(token, hiddenToken);
    failed.set(host, hidden(end.why));
    const lines = hidden(end.output)
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const line of lines) cli.say(printable(`${host}: ${line.trimEnd()}`));
  });
  return failed;
}

/** The text in the place of a token. */
export const hiddenToken = '<token>';

/** A token for this host alone, once, and for no longer than its agent may need. */
async function tokenFor(cli: Cli, host: Fqdn, { zone, kind, anyWatch }: Starting): Promise<string> {
  let secret = '';
  await patiently(cli, async () => {
    const expiresAt = new Date(cli.terminal.now() + tokenMs).toISOString();
    secret = (await cli.call(contract.createNodeToken, { body: { nodes: host, zone, kind, expiresAt, ...(anyWatch && { anyWatch }) } }))
      .body.secret;
  });
  return secret;
}

/** The outcomes for hosts, as lines; a {@link Failure} when not all are there. */
export function showOutcomes(cli: Cli, zone: ZoneName, outcomes: readonly HostOutcome[]): Failure | undefined {
  cli.show({ zone, hosts: outcomes }, () =>
    outcomes
      .map(({ host, outcome, because }) => printable(outcome === 'failed' ? `${host} failed to start: ${because}` : `${host}: ${because}`))
      .map((line) => `${line}\n`)
      .join(''),
  );
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed').length;
  if (failed === 0) return undefined;
  return new Failure(
    exitCodes.failed,
    `${failed} of ${outcomes.length} hosts have not joined`,
    'Repeat the command: it leaves the other hosts alone',
  );
}
