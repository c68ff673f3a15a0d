import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { versionHeader, vouchedHeader } from '../../../lib/api/version.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { faultOfEndpoint, isEndpoint } from '../../../lib/machine/endpoint.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { FoundEndpoint } from '../image.ts';
import type { Ledger } from '../ledger.ts';
import { type Check, missing, unknown, well } from './check.ts';

/** By how much a clock may differ before Muster refuses what it signs; the agent then goes by Muster’s. */
const skewMaxMs = 5 * minuteMs;

const sources: Readonly<Record<FoundEndpoint['by'], string>> = {
  given: 'as it is told',
  folder: 'by the file endpoint in the folder',
  'built-in': 'built into this executable',
  nobody: 'since nobody says where Muster is',
};

/** Whether it is known where Muster is, and nobody on the way could answer in its place. */
export function endpointCheck({ endpoint, by }: FoundEndpoint, insecure: true | undefined): Check {
  const fault = faultOfEndpoint(endpoint, insecure);
  return fault === undefined
    ? well('endpoint', `${endpoint}, ${sources[by]}`)
    : missing(
        'endpoint',
        isEndpoint(endpoint) ? `${endpoint} is not reached by https` : fault,
        'name an https address, or say insecure = yes if the network is yours alone',
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

/** For a host that is no node yet: any node’s, of which nothing is told to whoever does not sign for it. */
const nobody = 'n0000000000000000' as NodeId;

/**
 * Asks Muster for what nobody minds being asked for, the node’s desired state, and looks at the answer: whether it
 * comes, from whom, when, and by which version.
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
    const why = 'Muster cannot be asked';
    return [unreachable(endpoint, error), unknown('clock', why), unknown('node', why), unknown('version', why)];
  }
}

function clockCheck(headers: Headers, askedAt: number): Check {
  const at = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(at)) return unknown('clock', 'the answer does not say when it was made');
  // The header counts whole seconds, and cuts them off.
  const aheadMs = Math.round(askedAt - at - secondMs / 2);
  const says = `${Math.abs(aheadMs / secondMs).toFixed(0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} Muster’s`;
  return Math.abs(aheadMs) > skewMaxMs
    ? missing('clock', says, 'set it, and keep it by NTP: the agent signs by Muster’s until then')
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
      'another system vouches for this node: what its agent says of its life does not count',
      `muster node set ${ledger.fqdn} --vouched off has it count, or stop the agent if that is as it should be`,
    );
  if (!problem) return well('node', `Muster knows ${ledger.node} by its key`);
  return missing('node', problem.detail, `muster node show ${ledger.fqdn} says why; muster node admit ${ledger.fqdn} lets it in again`);
}

function versionCheck(theirs: string | null, ours: string): Check {
  if (theirs === null) return unknown('version', `this agent is ${ours}; Muster tells its own to nodes that have joined`);
  return theirs === ours
    ? well('version', `${ours}, as Muster’s`)
    : missing('version', `this agent is ${ours}, and Muster ${theirs}`, `install the agent of ${theirs}`);
}

/** Why an address cannot be called, by what the network says (errno(3), and the codes of node:tls). */
function unreachable(endpoint: string, error: Unreachable): Check {
  const { hostname, host } = new URL(endpoint);
  const code = codeOf(error.cause);
  const not = (says: string, mend: string) => missing('reachable', says, mend);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return not(`the name ${hostname} leads nowhere (${code})`, 'mend /etc/resolv.conf or /etc/hosts, or name another endpoint');
    case 'ECONNREFUSED':
      return not(`nothing listens at ${host}`, 'start Muster there, or name another endpoint');
    case 'CERT_NOT_YET_VALID':
    case 'CERT_HAS_EXPIRED':
      return not(
        `the certificate of ${host} is not valid now (${code})`,
        'look at the clock of this host, and have the certificate renewed',
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return not(`the certificate at ${host} is for another name`, 'call Muster by the name in its certificate');
    default:
  }
  if (/CERT|ISSUER|SIGNATURE/.test(code))
    return not(
      `the certificate of ${host} is not trusted (${code})`,
      'give this host the authority that signed it (update-ca-certificates), or name its file in NODE_EXTRA_CA_CERTS',
    );
  if (/^ERR_SSL|^EPROTO/.test(code)) return not(`${host} does not speak TLS (${code})`, 'name the port that does');
  return code === ''
    ? not(error.message, 'something else than Muster is there: name another endpoint')
    : not(`${host} does not answer (${code})`, 'look at the way there: routes, firewalls, a proxy');
}

/** The code at the bottom of a failed call; empty where the call was answered. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const below = cause.cause as { readonly code?: string } | undefined;
  return below?.code ?? (cause as NodeJS.ErrnoException).code?.toString() ?? cause.name;
}
