import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { type SigningFor, signing } from '../../lib/api/signed.ts';
import type { SignedBy } from './actors.ts';
import { bearerAttacks } from './bearer-attacks.ts';
import { listen, putReport } from './buses.ts';
import { type Cdk, cdkFor, type Outputs } from './cdk.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { type Front, startFront } from './front.ts';
import { type CheckIssuer, startIssuer } from './issuer.ts';
import { openedPage } from './onlooker.ts';
import { pageIsServed } from './page.ts';
import { run, stopAll } from './processes.ts';
import { expected, step } from './progress.ts';
import { findPython, needOpenssl, pythonEnvironment, Unavailable } from './python.ts';
import { type RawFetch, rawFetch } from './refused.ts';
import { replayedJoin, signatureAttacks, type Victim } from './signature-attacks.ts';
import { story } from './story.ts';

const folder = join(import.meta.dirname, '../..', '.muster', 'deploy-check');
const requirements = join(import.meta.dirname, 'requirements.txt');

/** The API of the deployment at the emulator's own address, since nothing resolves the name it gives out. */
const apiAt = ({ endpoint }: Emulator, outputs: Outputs): string => {
  const { hostname } = new URL(outputs['Muster-Api']!['ApiUrl']!);
  return `${endpoint}/_aws/execute-api/${hostname.split('.')[0]}/$default`;
};

/** Clients whose calls are signed: for the paths that the functions see, which begin after the emulator's own. */
const signedAt =
  (base: string): SignedBy =>
  (pair) => {
    const root = 'https://deployed.invalid';
    let known: SigningFor = { clockAheadMs: 0 };
    const fetching = signing({
      keys: () => pair,
      known: () => known,
      learn: (next) => {
        known = next;
      },
      now: Date.now,
      newNonce: randomUUID,
      fetching: (url, init) => fetch(base + url.slice(root.length), init),
    });
    return apiClient(root, { fetching });
  };

async function deployTwice(cdk: Cdk): Promise<Outputs> {
  const { outputs } = await step('cdk deploy Data, Control and Api', () => cdk.deploy());
  await step('cdk deploy again changes nothing', async () => {
    const { unchanged } = await cdk.deploy();
    expected('no changes in all three stacks', unchanged.length === 3, unchanged);
  });
  return outputs;
}

/** A client of the API for an administrator with a token of the issuer. */
const administratorAt = async (base: string, { token }: CheckIssuer): Promise<ApiClient> => {
  // `muster-security` bans and replaces keys, and brings none of the others with it.
  const authorization = `Bearer ${await token('muster-admin', { groups: ['muster-admin', 'muster-security'] })}`;
  return apiClient(base, { fetching: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization } }) });
};

async function check(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await needOpenssl(folder);
  const system = await findPython(folder);
  const python = await step('a virtual environment with the emulator and cfn-lint', () => pythonEnvironment(system, folder, requirements));
  const emulator = await step('the emulator answers on the loopback, enforcing IAM', () => startEmulator(python, folder));
  const issuer = await step('an issuer publishes its keys on the loopback', startIssuer);
  let front: Front | undefined;
  try {
    const cdk = cdkFor(emulator, folder, issuer.url);
    await step('cdk synth, with every bundle and cdk-nag', () => cdk.synth());
    await step('cfn-lint finds nothing in the templates', () => cdk.lint(python));
    await step('cdk bootstrap', () => cdk.bootstrap());
    const outputs = await deployTwice(cdk);
    const { BusName, IngestBusName } = outputs['Muster-Control']!;
    const listener = await step('a rule listens on the bus', () => listen(emulator, BusName!));
    const base = apiAt(emulator, outputs);
    await step('the page is served, and takes no calls of other pages', () => pageIsServed(base));
    front = await startFront(base, emulator.tls);
    const { url } = front;
    await story({
      openPage: (link) => openedPage(url, link),
      call: await administratorAt(base, issuer),
      signedBy: signedAt(base),
      attacked: (victim) => attacked(rawFetch(base), issuer, victim),
      heard: listener.heard,
      redeploy: async (setting) => void (await cdk.deploy([setting])),
      putReport: (report) => putReport(emulator, IngestBusName!, report),
    });
  } catch (error) {
    if (!interrupted) await showTroubles(emulator, python);
    throw error;
  } finally {
    issuer.stop();
    front?.stop();
  }
}

/** Callers with forged, stolen or stale credentials are refused, each with the answer that gives the reason. */
async function attacked(send: RawFetch, issuer: CheckIssuer, victim: Victim): Promise<void> {
  await step('forged and stale bearer tokens are refused', () => bearerAttacks(send, issuer));
  await step('forged and stale signatures are refused', () => signatureAttacks(send, victim));
  await step('a join that arrives twice is accepted once', () => replayedJoin(send));
}

/** Prints the warnings and errors of the functions and of the emulator, the last lines of each. */
async function showTroubles({ env, log }: Emulator, python: string): Promise<void> {
  const { output } = await run(python, [join(import.meta.dirname, 'function-logs.py')], { env, cwd: folder });
  const lines = readFileSync(log, 'utf8').split('\n');
  const troubles = lines.filter((line) => /WARN|ERROR|denied|not authorized|Traceback/.test(line)).slice(-40);
  console.log(`\noutput of the functions:\n${output}\noutput of the emulator (${log}):\n${troubles.join('\n')}`);
}

/**
 * Three minutes on an idle machine of two cores, and five times that on a busy one; a check that takes longer hangs.
 */
const patienceMs = 20 * 60_000;
const startedAt = performance.now();
let interrupted = false;

async function end(code: number, reason: string): Promise<never> {
  await stopAll();
  console.log(`\ncheck:deploy ${reason} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
  process.exit(code);
}

function interrupt(code: number, reason: string): void {
  interrupted = true;
  void end(code, reason);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt(130, 'interrupted'));
setTimeout(() => interrupt(1, `FAILED: not done after ${patienceMs / 60_000} minutes`), patienceMs).unref();

try {
  await check();
  await end(0, 'passed');
} catch (error) {
  if (error instanceof Unavailable) await end(process.env['CI'] === 'true' ? 1 : 0, `SKIPPED: ${error.message}`);
  if (!interrupted) {
    console.log(`\n${error instanceof Error ? error.message : String(error)}`);
    await end(1, 'FAILED');
  }
}
