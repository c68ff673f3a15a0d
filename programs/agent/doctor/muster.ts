import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { versionHeader, vouchedHeader } from '../../../lib/api/version.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { faultOfEndpoint, isEndpoint } from '../../../lib/machine/endpoint.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { FoundEndpoint } from '../image.ts';
import type { Ledger } from '../ledger.ts';
import { type Check, missing, unknown, well } from './check.ts';

/** The difference of clocks above which Muster refuses signatures; the agent then signs by Muster’s clock. */
const skewMaxMs = 5 * minuteMs;

const sources: Readonly<Record<FoundEndpoint['by'], string>> = {
  given: 'as configured',
  folder: 'from the file endpoint in the folder',
  'built-in': 'built into this executable',
  nobody: 'the default, because no endpoint is configured',
};

/** Whether the address of Muster is known and secure, so that no one on the network path can answer in its place. */
export function endpointCheck({ endpoint, by }: FoundEndpoint, insecure: true | undefined): Check {
  const fault = faultOfEndpoint(endpoint, insecure);
  return fault === undefined
    ? well('endpoint', `${endpoint}, ${sources[by]}`)
    : missing(
        'endpoint',
        isEndpoint(endpoint) ? `${endpoint} does not use https` : fault,
        'name an https address, or set insecure = yes if the network is yours alone',
      );
}

type Asking = {
  readonly endpoint: string;
  readonly ledger: Ledger | undefined;
  /** Calls Muster, signed where there is a ledger. */
  readonly api: ApiClient;
  readonly now: () => number;
  /** The version of this agent. */
  readonly version: string;
};

/** The id to call with from a host that is not a node yet; Muster reveals nothing about a node to other callers. */
const nobody = 'n0000000000000000' as NodeId;

/**
 * Reads the node’s desired state, a call that changes nothing, and checks the answer: whether it comes, from where, the
 * time, and the version of Muster.
 */
export async function musterChecks({ endpoint, ledger, api, now, version }: Asking): Promise<Check[]> {
  const began = now();
  try {
    const answer = await api(nodeRoutes.desired, { params: { id: ledger?.node ?? nobody } });
    const took = now() - began;
    return [
      well('reachable', `Muster answers at ${endpoint} within ${took} ms`),
      clockCheck(answer.headers, began + took / 2),
      nodeCheck(answer.ok ? undefined : answer.problem, ledger, answer.headers.has(vouchedHeader)),
      versionCheck(answer.headers.get(versionHeader), version),
    ];
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const why = 'Muster cannot be reached';
    return [unreachable(endpoint, error), unknown('clock', why), unknown('node', why), unknown('version', why)];
  }
}

function clockCheck(headers: Headers, askedAt: number): Check {
  const at = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(at)) return unknown('clock', 'the answer has no date');
  // The header counts whole seconds, and cuts them off.
  const aheadMs = Math.round(askedAt - at - secondMs / 2);
  const says = `${Math.abs(aheadMs / secondMs).toFixed(0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} Muster’s`;
  return Math.abs(aheadMs) > skewMaxMs
    ? missing('clock', says, 'set the clock, and synchronize it by NTP: the agent signs by Muster’s clock until then')
    : well('clock', says);
}

function nodeCheck(
  problem: { readonly type: string; readonly detail: string } | undefined,
  ledger: Ledger | undefined,
  isVouched: boolean,
): Check {
  if (ledger?.node === undefined) return unknown('node', 'has not joined yet');
  if (!problem && isVouched)
    return missing(
      'node',
      'another system vouches for this node: the heartbeats of its agent do not count',
      `make them count by muster node set ${ledger.fqdn} --vouched off, or stop the agent if another system must vouch`,
    );
  if (!problem) return well('node', `Muster knows ${ledger.node} by its key`);
  return missing('node', problem.detail, `see why by muster node show ${ledger.fqdn}; admit it again by muster node admit ${ledger.fqdn}`);
}

function versionCheck(theirs: string | null, ours: string): Check {
  if (theirs === null) return unknown('version', `this agent is ${ours}; Muster gives its version only to nodes that have joined`);
  return theirs === ours
    ? well('version', `${ours}, the same as Muster’s`)
    : missing('version', `this agent is ${ours}, and Muster is ${theirs}`, `install the agent of ${theirs}`);
}

/** Why an address cannot be called, by the code of the network error (errno(3), and the codes of node:tls). */
function unreachable(endpoint: string, error: Unreachable): Check {
  const { hostname, host } = new URL(endpoint);
  const code = codeOf(error.cause);
  const not = (says: string, mend: string) => missing('reachable', says, mend);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return not(`the name ${hostname} does not resolve (${code})`, 'fix /etc/resolv.conf or /etc/hosts, or name another endpoint');
    case 'ECONNREFUSED':
      return not(`nothing listens at ${host}`, 'start Muster there, or name another endpoint');
    case 'CERT_NOT_YET_VALID':
    case 'CERT_HAS_EXPIRED':
      return not(`the certificate of ${host} is not valid now (${code})`, 'check the clock of this host, and have the certificate renewed');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return not(`the certificate at ${host} is for another name`, 'call Muster by the name in its certificate');
    default:
  }
  if (/CERT|ISSUER|SIGNATURE/.test(code))
    return not(
      `the certificate of ${host} is not trusted (${code})`,
      'install the authority that signed it on this host (update-ca-certificates), or name its file in NODE_EXTRA_CA_CERTS',
    );
  if (/^ERR_SSL|^EPROTO/.test(code)) return not(`${host} does not speak TLS (${code})`, 'name the port that speaks TLS');
  return code === ''
    ? not(error.message, 'the endpoint is not Muster: name another endpoint')
    : not(`${host} does not answer (${code})`, 'check the network path to it: routes, firewalls, a proxy');
}

/** The code at the bottom of a failed call; empty where the call was answered. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const below = cause.cause as { readonly code?: string } | undefined;
  return below?.code ?? (cause as NodeJS.ErrnoException).code?.toString() ?? cause.name;
}
