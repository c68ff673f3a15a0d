import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { arch, cpus, hostname, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiClient, type Fetching } from '../../lib/api/client.ts';
import { directly } from '../../lib/api/direct.ts';
import { clientRoutes } from '../../lib/clients/routes.ts';
import { type Fingerprint, Fqdn, showFingerprint } from '../../lib/core/ids.ts';
import { isNoName } from '../../lib/core/no-name.ts';
import { printable } from '../../lib/core/printable.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { parseSecret } from '../../lib/identity/secret-text.ts';
import { exitCodes, runCommandLine, Unusable } from '../../lib/machine/command-line.ts';
import { faultOfEndpoint, mayBeNamed } from '../../lib/machine/endpoint.ts';
import { type Folder, folderAt, holdFolder } from '../../lib/machine/folder.ts';
import { orNothing, osName } from '../../lib/machine/os-name.ts';
import { readGivenFile } from '../../lib/machine/own.ts';
import type { World } from '../../lib/machine/reactor.ts';
import type { Machine } from './calls.ts';
import { startDaemon } from './daemon.ts';
import { type ChosenDriver, type Driven, drivenBy, driverFor } from './drivers/choose.ts';
import { type Identity, identityIn, identityOf, keepIn, keepSignedForIn, recordIn, signedForIn } from './identity.ts';
import { type MinionProof, minionKeyIn, minionProofOf, saltId, saltIdFile, saltKeyFile } from './minion.ts';
import { type ClientOptions, clientProgram, type StatusGiven } from './options.ts';
import { signedKnocks } from './signed-knocks.ts';
import { statusLines, statusView } from './status.ts';
import { isHeard } from './watch.ts';

const world: World = {
  now: () => Date.now() as EpochMs,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** The client daemon as a program: the only file here with a clock, timers and randomness. */
const program = clientProgram({ run, fingerprint, status, drive });

function fingerprint(options: ClientOptions): void {
  const minion = minionKeyIn(options.minionKey ?? saltFiles(drivenOf(options)).key);
  process.stdout.write(`${showFingerprint(identityIn(folderAt(options.home)).fp)}\n`);
  if (!minion) return;
  process.stdout.write(`minion ${showFingerprint(minion.fingerprint)}\n`);
  process.stdout.write(`minion ${showFingerprint(minion.ofText)} (salt-key of Salt 3008)\n`);
}

function status({ home, json }: StatusGiven): void {
  const folder = folderAt(home);
  const release = holdFolder(folder);
  release?.();
  const view = statusView(recordIn(folder), identityOf(folder)?.fp, release === undefined);
  process.stdout.write(json ? `${JSON.stringify(view)}\n` : `${statusLines(view).join('\n')}\n`);
}

/** Of a boot id: enough that no two starts of all daemons have the same by chance. */
const bootBytes = 9;

async function run(options: ClientOptions): Promise<void> {
  const fqdn = options.fqdn ?? Fqdn.safeParse(hostname()).data;
  if (!fqdn) return program.error(`error: this host calls itself ${hostname()}, which is not fully qualified: give --fqdn <name>`);
  if (isNoName(fqdn))
    say(`${fqdn} names no machine, so an administrator must accept it by its fingerprint: set a host name, or give --fqdn`);
  const machineId = options.machineId ?? orNothing(() => readFileSync('/etc/machine-id', 'utf8'));
  if (!machineId) return program.error('error: there is no /etc/machine-id: give --machine-id <id>');
  const fault = faultOfEndpoint(options.endpoint, options.insecure);
  if (fault !== undefined) return program.error(`error: ${fault}`);
  const driven = drivenOf(options);
  const folder = folderAt(options.home);
  const release = holdFolder(folder);
  if (!release) {
    say(`another daemon uses ${folder.path}; give each its own --home`);
    process.exitCode = exitCodes.busy;
    return;
  }
  const identity = identityIn(folder);
  const { fp, publicKey } = identity;
  const minion = minionOf(options, saltFiles(driven), fqdn, fp);
  const onboardingToken = tokenOf(options);
  say(`${fqdn} knocks at ${options.endpoint}; fingerprint ${showFingerprint(fp)}`);
  const machine: Machine = {
    fp,
    publicKey,
    fqdn,
    machineId,
    facts: factsOf(options),
    tags: options.tag ?? [],
    minion,
    boot: randomBytes(bootBytes).toString('base64url'),
    ...(options.zone && { zone: options.zone }),
  };
  const driver = driverFor(driven, options, { folder, pause, say });
  const place = { folder, found: await foundBy(driver), driver };
  process.exitCode = await untilEnded(options, { ...machine, ...(onboardingToken && { onboardingToken }) }, identity, place);
  await driver.idle();
  release();
}

/** What the options drive. Ends the program when they do not fit together, or when what they name is not installed. */
function drivenOf(options: ClientOptions): Driven {
  try {
    return drivenBy(options);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return program.error(`error: ${error.message}`);
  }
}

/** The files with the key and the name of the driven minion; the usual ones when no minion is driven. */
function saltFiles(driven: Driven): { readonly key: string; readonly id: string } {
  const minion = driven.by === 'services' ? driven.kind.minion : undefined;
  if (driven.by !== 'services' || !minion) return { key: saltKeyFile, id: saltIdFile };
  return { key: join(driven.root.path, minion.key), id: join(driven.root.path, minion.id) };
}

/**
 * Stands for a node without a valid name, such as Salt's own default, `salt`; no machine has this name (RFC 6761, 6.4).
 */
const nowhere = Fqdn.parse('nowhere.invalid');

/** The node for which something runs here, after undoing an earlier daemon's run that was cut off. */
async function foundBy({ services }: ChosenDriver): Promise<Fqdn | undefined> {
  const recovered = await services?.recover();
  if (recovered && !recovered.ok) say(`${recovered.why}; the driver will try again`);
  const runs = await services?.runsFor();
  return runs && (Fqdn.safeParse(runs.name).data ?? nowhere);
}

/** Drives once by hand; without a node, stops. */
async function drive(options: ClientOptions, fqdn: Fqdn | undefined): Promise<void> {
  const driven = drivenOf(options);
  if (driven.by === 'nothing') return program.error('error: nothing is driven: give --driver or --drive');
  const folder = folderAt(options.home);
  const release = holdFolder(folder);
  if (!release) {
    say(`a running daemon uses ${folder.path}: stop it before driving by hand`);
    process.exitCode = exitCodes.busy;
    return;
  }
  const driver = driverFor(driven, options, { folder, pause, say });
  const ran = await (fqdn === undefined ? driver.stop() : driver.start(fqdn));
  if (!ran.ok && !options.dryRun) throw new Unusable(ran.why);
  release();
}

/** The minion beside the daemon, read again at each knock. A key file that was named must be there from the start. */
function minionOf(
  { minionKey, minionId }: ClientOptions,
  files: ReturnType<typeof saltFiles>,
  fqdn: string,
  fp: Fingerprint,
): () => MinionProof | undefined {
  const file = minionKey ?? files.key;
  if (minionKey !== undefined && !minionKeyIn(file))
    throw new Unusable(`${file} cannot be read; --minion-key names the minion's private key`);
  return () => {
    try {
      const key = minionKeyIn(file);
      return key && minionProofOf(minionId ?? (saltId(files.id) || fqdn), key, fp);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      say(`${error.message}; knocking without it`);
      return undefined;
    }
  };
}

/**
 * The onboarding token, as given. A text that is no token is reported here and sent all the same: it keeps no machine
 * out, and Muster's row reports it, too.
 */
function tokenOf({ token, tokenFile }: ClientOptions): string | undefined {
  const text = tokenFile === undefined ? token : readGivenFile(tokenFile).trim();
  const read = text ? parseSecret(text, 'mot') : undefined;
  if (typeof read === 'string')
    say(
      read === 'mistyped'
        ? 'the onboarding token has a wrong or missing character'
        : 'the given text is no onboarding token: those begin with mot_',
    );
  return text;
}

type Place = { readonly folder: Folder; readonly found: Fqdn | undefined; readonly driver: ChosenDriver };

/** Runs the daemon until a signal or a ban ends it; gives the exit code. */
function untilEnded(options: ClientOptions, machine: Machine, identity: Identity, { folder, found, driver }: Place): Promise<number> {
  return new Promise((resolve) => {
    // Before the daemon starts: its first call takes a while to begin, and a signal meanwhile would end the program.
    process.on('SIGHUP', () => daemon.knockNow());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        daemon.stop();
        resolve(exitCodes.done);
      });
    }
    const daemon = startDaemon({
      api: apiClient(options.endpoint, { fetching: signedBy(identity, options.endpoint, folder) }),
      machine,
      driver,
      record: recordIn(folder),
      found,
      keep: (record) => keepIn(folder, record),
      isHeard,
      say,
      ended: () => resolve(exitCodes.unwanted),
      world,
    });
  });
}

/** Signs this machine's knocks, and stores what it learns of the deployment that accepts them. */
function signedBy(identity: Identity, endpoint: string, folder: Folder): Fetching {
  let known = signedForIn(folder, endpoint);
  return signedKnocks({
    keys: () => identity,
    known: () => known,
    learn: (next) => {
      known = next;
      keepSignedForIn(folder, endpoint, next);
    },
    now: Date.now,
    newNonce: () => randomBytes(18).toString('base64url'),
    fetching: directly({
      route: clientRoutes.systemStatus,
      mayCall: mayBeNamed(endpoint),
      now: Date.now,
      after: (ms) => AbortSignal.timeout(ms),
      say,
    }),
  });
}

function factsOf({ fact = [] }: ClientOptions): Record<string, string> {
  const own = {
    os: osName(),
    kernel: release(),
    arch: arch(),
    cpus: String(cpus().length),
    memoryMib: String(Math.floor(totalmem() / 2 ** 20)),
  };
  return { ...own, ...Object.fromEntries(fact) };
}

function say(line: string): void {
  process.stderr.write(`muster-client: ${printable(line)}\n`);
}

process.exit(await runCommandLine(program, process.argv));
