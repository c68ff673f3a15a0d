import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBearer } from '../../../lib/api/bearer.ts';
import { apiClient, type Fetching } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import type { Report } from '../../../programs/loadtest/report.ts';
import { runLoad } from '../../../programs/loadtest/run.ts';
import { overSockets } from '../../../programs/loadtest/sockets.ts';
import { startEmbedded } from '../embedded.ts';
import type { Figure } from '../report/figure.ts';
import { cpuMs } from '../report/of-process.ts';
import { program } from '../report/program.ts';
import { median, spread } from '../rounds.ts';

/**
 * A site that is switched on: so many client systems start a second, behind one translated address, on the same
 * processors as the host. All have one token.
 */
const clients = 6_000;
const rate = 400;
const nodes = 10;
const forMs = 25_000;
const connections = 64;
const rounds = 3;

/** What a proxy on this machine says of a call from elsewhere: addresses of loopback are not limited. */
const nat = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' };
const behindNat =
  (fetching: Fetching): Fetching =>
  (url, init) =>
    fetching(url, { ...init, headers: { ...init.headers, ...nat } });

type Round = {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly errors: Report['totals']['errors'];
  readonly onboarded: number;
};

/** One load on a host of its own, with the usual limits on callers. */
async function round(home: string): Promise<Round> {
  const env = { MUSTER_TRUST_PROXY: 'loopback', MUSTER_NAMES: 'muster.bench.test' };
  const host = await startEmbedded(home, { env, headers: nat });
  const secret = readFileSync(join(home, 'operator.key'), 'utf8').trim();
  const sockets = overSockets(connections);
  const fetching = behindNat(sockets.fetching);
  const admin = apiClient(host.url, { fetching: withBearer(async () => secret, fetching) });
  // An address of strangers lets in a thousand an hour.
  const settings = await admin(contract.getSettings);
  if (!settings.ok || settings.body.newKeysPerSource !== 1_000) throw new Error('the cap on new machines of one address is not as usual');
  const before = cpuMs(host.pid);
  const { report } = await runLoad(
    { nodes, clients, rate, forMs, failures: [], connections },
    { endpoint: host.url, admin, fetching, stop: new AbortController().signal, progress: () => undefined },
  );
  const usedMs = cpuMs(host.pid) - before;
  sockets.close();
  await host.stop();
  const onboarded = report.seconds.at(-1)?.clients['onboarded'] ?? 0;
  return { perSecond: perSecondOf(report), cpuMs: usedMs / Math.max(1, onboarded), errors: report.totals.errors, onboarded };
}

/**
 * How many were onboarded a second, from the first second in which one was until nine tenths are: what starts and ends
 * the load is not its rate.
 */
function perSecondOf({ seconds }: Report): number {
  const at = seconds.map(({ atS, clients: { onboarded = 0 } }) => ({ atS, onboarded }));
  const first = at.find(({ onboarded }) => onboarded > 0);
  const last = at.find(({ onboarded }) => onboarded >= 0.9 * clients) ?? at.at(-1);
  return first && last && last.atS > first.atS ? (last.onboarded - first.onboarded) / (last.atS - first.atS) : 0;
}

async function measure(folder: string): Promise<Figure[]> {
  const all: Round[] = [];
  for (let n = 0; n < rounds; n++) all.push(await round(join(folder, `muster-${n}`)));
  const refused = all.map(({ errors: { 'signature-missing': _first, ...errors } }) => Object.values(errors).reduce((sum, n) => sum + n, 0));
  const perSecond = all.map((one) => one.perSecond);
  const cpu = all.map(({ cpuMs }) => cpuMs);
  return [
    {
      what: 'client systems onboarded, from one address, by one token',
      measured: median(perSecond),
      unit: '/s',
      target: { atLeast: 250 },
      note: `${spread(perSecond, (one) => one.toFixed(0))}; ${rate} start a second, ${clients} in all, on ${nodes} nodes; the load generator is on the same processors`,
    },
    {
      what: 'of these, calls that were refused or answered busy',
      measured: Math.max(...refused),
      unit: 'calls',
      target: { atMost: 0 },
      note: `usual limits, and the usual cap of 1,000 new machines an hour from one address; ${JSON.stringify(all.map(({ errors }) => errors))}`,
    },
    { what: 'processor time of the host for each', measured: median(cpu), unit: 'ms', note: spread(cpu, (one) => one.toFixed(2)) },
    { what: 'onboarded when the load ends', measured: Math.min(...all.map(({ onboarded }) => onboarded)), unit: 'client systems' },
  ];
}

await program(measure);
