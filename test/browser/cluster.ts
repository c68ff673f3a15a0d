import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBearer } from '../../lib/api/bearer.ts';
import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { operatorFile } from '../../programs/local/host.ts';
import { type Child, outputOf, program, startChild, stopChildren } from '../../tools/demo/child.ts';
import { freePorts } from '../../tools/demo/ports.ts';

/** A whole deployment of real programs: the control plane, agents and client daemons, each a process of its own. */
export type Cluster = {
  readonly url: string;
  readonly api: ApiClient;
  /** The operator's secret of the host that runs now. */
  readonly operator: () => string;
  /** A link that signs its reader in, once. */
  readonly link: () => Promise<string>;
  readonly startAgent: (fqdn: string, zone?: string, kind?: 'salt' | 'uyuni') => Promise<void>;
  readonly killAgent: (fqdn: string) => void;
  /** `token` onboards it at once. */
  readonly startClient: (fqdn: string, token?: string) => void;
  /** Has every client daemon knock now, rather than when its interval is over. */
  readonly knock: () => void;
  /** Kills the control plane as a fault would, and starts it again on the same port and folder. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** The zones of a cluster. */
export const zones = ['default', 'emea'] as const;

/** Nodes are missed soon, so that nobody waits long for what follows. */
const beatMinMs = 1_000;

/**
 * Starts a control plane with two zones, which lets in nodes of the domain `acme.test`. Nothing else is there yet but
 * what `seed` has put into its state folder.
 */
export async function aCluster({ seed }: { readonly seed?: ((home: string) => Promise<void>) | undefined } = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-browser-'));
  const home = join(folder, 'muster');
  await seed?.(home);
  const [port] = await freePorts(1);
  const env = { MUSTER_PORT: String(port), MUSTER_HOME: home, MUSTER_BEAT_MIN_MS: String(beatMinMs), MUSTER_ADMIT_EVERY_MS: '0' };
  const children = new Map<string, Child>();
  const clients: string[] = [];
  const start = async (): Promise<string> => {
    const plane = startChild('control plane', [program('programs/local/main.ts')], { env });
    children.set('control plane', plane);
    return outputOf(plane, /Muster is at (http:\S+?),/);
  };
  const url = await start();
  const operator = (): string => readFileSync(join(home, operatorFile), 'utf8').trim();
  const api = apiClient(url, { timeoutMs: 10_000, fetching: withBearer(operator) });
  for (const zone of zones) {
    if (zone !== 'default') await answered(api(contract.createZone, { body: { name: zone } }));
    await answered(api(contract.addAdmissionRule, { body: { name: `all-of-${zone}`, nodes: '*.acme.test', left: 50, zone } }));
  }
  return {
    url,
    api,
    operator,
    link: async () => (await answered(api(contract.createSignInLink, { body: {} }))).link,
    startAgent: async (fqdn, zone = 'default', kind = 'salt') => {
      const [watch] = await freePorts(1);
      const self = ['--endpoint', url, '--fqdn', fqdn, '--kind', kind, '--zone', zone, '--watch', `127.0.0.1:${watch}`];
      children.set(fqdn, startChild(fqdn, [program('programs/agent/main.ts'), ...self, '--home', join(folder, fqdn)]));
    },
    killAgent: (fqdn) => void children.get(fqdn)?.process.kill('SIGKILL'),
    startClient: (fqdn, token) => {
      const self = ['--endpoint', url, '--fqdn', fqdn, '--machine-id', fqdn.replaceAll('.', '-'), '--home', join(folder, fqdn)];
      const within = token === undefined ? {} : { env: { MUSTER_ONBOARDING_TOKEN: token } };
      clients.push(fqdn);
      children.set(fqdn, startChild(fqdn, [program('programs/client/main.ts'), ...self], within));
    },
    knock: () => {
      for (const fqdn of clients) children.get(fqdn)!.process.kill('SIGHUP');
    },
    restart: async () => {
      const plane = children.get('control plane')!;
      plane.process.kill('SIGKILL');
      await plane.exited;
      await start();
    },
    stop: async () => {
      await stopChildren([...children.values()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The body of an answer. Throws an Error with the problem for a refusal. */
export async function answered<T>(
  call: Promise<
    { readonly ok: true; readonly body: T } | { readonly ok: false; readonly problem: { readonly detail?: string | undefined } }
  >,
): Promise<T> {
  const answer = await call;
  if (!answer.ok) throw new Error(answer.problem.detail ?? 'refused');
  return answer.body;
}

/** Resolves when the zone has so many nodes that are up and own slots, and so many onboarded client systems. */
export async function settledAt(
  api: ApiClient,
  { up, systems = 0 }: { readonly up: number; readonly systems?: number },
  zone: (typeof zones)[number] = 'default',
): Promise<void> {
  for (const until = Date.now() + 120_000; ; ) {
    const nodes = (await answered(api(contract.listNodes, { query: { zone } }))).items.filter(
      ({ status, slots }) => status === 'up' && slots > 0,
    ).length;
    const onboarded = (await answered(api(contract.listSystems, { query: { zone, status: 'onboarded' } }))).items.length;
    if (nodes >= up && onboarded >= systems) return;
    if (Date.now() > until)
      throw new Error(`zone ${zone} did not get to ${up} nodes and ${systems} client systems: ${nodes} and ${onboarded}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Adds a tag to a client system: one event. */
export const tag = (cluster: Cluster, fp: string, name: string): Promise<unknown> =>
  answered(cluster.api(contract.editSystems, { body: { systems: [fp], tags: { add: [name] } } }));
