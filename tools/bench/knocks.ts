import knock from '../../functions/knock.ts';
import { contract } from '../../lib/contract.ts';
import { write } from '../../lib/core/decision.ts';
import { deploymentRef } from '../../lib/deployment/deployment.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { type KeyPair, newKeyPair } from '../../lib/identity/key-pair.ts';
import type { SignedCall } from '../../lib/identity/signature.ts';
import { applyPlan } from '../../lib/runtime/apply-plan.ts';
import type { HttpRequest, RouteFunction } from '../../lib/runtime/function.ts';
import { usualRates } from '../../lib/runtime/rates.ts';
import { aShell, type TestShell } from '../support/a-shell.ts';
import { signedBy } from '../support/signing.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

/** Machines that knock in each round, once each, and rounds in which the kinds of call take turns. */
const machines = 500;
const rounds = 9;
const warmUps = 2;

type Kind = { readonly what: string; readonly requests: () => HttpRequest[]; readonly ns: number[] };

/** A deployment in memory where unsigned clients may knock, too, and where callers are counted as they usually are. */
async function aDeployment(): Promise<TestShell> {
  const shell = aShell({ rates: { ...usualRates, client: { perSecond: 1, burst: 1_000 }, source: { perSecond: 1, burst: 1e9 } } });
  const allowed = write({ admitted: {}, unsignedZones: ['default'] }, 'bench');
  await applyPlan(shell, { id: 'bench' }, async () => ({
    because: ['bench'],
    changes: [{ ref: deploymentRef, readRev: 0, decision: allowed }],
  }));
  return shell;
}

const requestOf = (call: SignedCall, headers: Readonly<Record<string, string>>): HttpRequest => ({
  ...call,
  id: 'bench',
  header: (name) => headers[name],
  source: '192.0.2.1',
});

const knockOf = ({ publicKey }: KeyPair, n: number): SignedCall => ({
  method: 'POST',
  path: contract.knock.path,
  query: '',
  body: JSON.stringify({ publicKey, fqdn: `web${n}.bench.test`, machineId: `machine-${n}` }),
});

/** Processor time a call, of calls one after the other. */
async function nsPerAwaited(requests: readonly HttpRequest[], shell: TestShell): Promise<number> {
  const before = process.cpuUsage();
  for (const request of requests) {
    const { status, body } = await (knock as RouteFunction).handle(request, shell);
    if (status !== 200) throw new Error(`${request.path}: ${status} ${body}`);
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / requests.length;
}

/**
 * The kinds of call on a deployment where every machine has knocked once and waits to be accepted, as a fleet's
 * newcomers do.
 */
async function kindsOn(shell: TestShell): Promise<Kind[]> {
  const pairs = Array.from({ length: machines }, newKeyPair);
  const json = { 'content-type': 'application/json' };
  const sign = (pair: KeyPair, call: SignedCall) => signedBy(pair, call, { deployment: 'test', nowMs: shell.now() });
  const signed = () => pairs.map((pair, n) => requestOf(knockOf(pair, n), { ...json, ...sign(pair, knockOf(pair, n)) }));
  const unsigned = () => pairs.map((pair, n) => requestOf(knockOf(pair, n), json));
  const status = (): HttpRequest[] =>
    pairs.map(({ publicKey }) => {
      const query = `fp=${fingerprintOf(publicKey)}`;
      return requestOf({ method: 'GET', path: contract.systemStatus.path, query, body: '' }, {});
    });
  await nsPerAwaited(signed(), shell);
  return [
    { what: 'a signed knock, its nonce taken once', requests: signed, ns: [] },
    { what: 'the same knock unsigned, where a zone allows that', requests: unsigned, ns: [] },
    { what: 'a status check without a token, from the row', requests: status, ns: [] },
  ];
}

await program(async () => {
  const shell = await aDeployment();
  const kinds = await kindsOn(shell);
  for (let round = -warmUps; round < rounds; round++)
    for (const { requests, ns } of kinds) {
      const measured = await nsPerAwaited(requests(), shell);
      if (round >= 0) ns.push(measured);
    }
  const [signed, unsigned] = kinds.map(({ ns }) => ns) as [number[], number[]];
  const dearer = signed.map((ns, round) => (ns - unsigned[round]!) / 1000);
  const figures = kinds.map(({ what, ns }): Figure => {
    const note = `processor time, ${spread(ns, (one) => (one / 1000).toFixed(1))}; a table in memory`;
    return { what, measured: median(ns) / 1000, unit: 'µs', note };
  });
  const note = `round by round, ${spread(dearer, (one) => one.toFixed(1))}`;
  return [...figures, { what: 'what signing costs a knock', measured: median(dearer), unit: 'µs', note }];
});
