import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, freemem, hostname, loadavg, networkInterfaces, totalmem, uptime } from 'node:os';
import { text } from 'node:stream/consumers';
import { apiClient } from '../../lib/api/client.ts';
import { directly } from '../../lib/api/direct.ts';
import { musterVersion } from '../../lib/api/version.ts';
import { type Fqdn, showFingerprint } from '../../lib/core/ids.ts';
import { printable } from '../../lib/core/printable.ts';
import { dayMs, type EpochMs, secondMs } from '../../lib/core/time.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { exitCodes, runCommandLine } from '../../lib/machine/command-line.ts';
import { faultOfEndpoint, mayBeNamed } from '../../lib/machine/endpoint.ts';
import { type Folder, folderAt, holdFolder } from '../../lib/machine/folder.ts';
import { orNothing, osName } from '../../lib/machine/os-name.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import { offeringHere } from './adoption/start.ts';
import { type AgentOptions, startAgent } from './agent.ts';
import { builtIn } from './built-in.ts';
import type { Self } from './calls.ts';
import { Contact } from './contact.ts';
import { checkLines } from './doctor/check.ts';
import { examine } from './doctor/doctor.ts';
import type { GivenSettings } from './doctor/told.ts';
import { hostFacts, kernelBoot, loadOf } from './facts.ts';
import { findEndpoint, tokenOf } from './image.ts';
import { leave, momentOf } from './leave.ts';
import { type Ledger, newLedger, readLedger, writeLedger, writeRotating } from './ledger.ts';
import { defaultWatch, listenAt, listenForWatch } from './listen.ts';
import { clocksOf } from './moment.ts';
import { type AgentOptionsGiven, agentProgram, type DoctorGiven, type LeaveGiven, type StatusGiven } from './options.ts';
import { ownName } from './own-name.ts';
import { listProcesses, type Outcome, processConfiguration, reportProcess } from './processes/commands.ts';
import { faultOfProcesses } from './processes/options.ts';
import { askMuster, findServices, listServices, reportService } from './services/commands.ts';
import { keepersHere } from './services/start.ts';
import { signsOnce } from './signed-calls.ts';
import { siteHere } from './station/start.ts';
import { ledgerLines, ledgerView } from './status.ts';
import { Traces } from './traces.ts';
import { SeatHere } from './uyuni/cluster-mode/seat.ts';
import { clusterModeCommands, clusterModeHere } from './uyuni/cluster-mode/start.ts';
import { contentHere } from './uyuni/content/here.ts';
import { contentCommands } from './uyuni/content/start.ts';
import { enteringHere } from './uyuni/enter/start.ts';
import type { AgentView } from './view.ts';
import { cautionOfSource, faultOfSource, releaseHookOf, type Watching, watchingOf } from './watch-source.ts';

/** The limit of one call: a heartbeat that hangs must not outlive the lease that it renews. */
const callLimitMs = 10 * secondMs;

const now = () => Date.now() as EpochMs;
const limit = (ms: number): AbortSignal => AbortSignal.timeout(ms);
const newSecret = (): string => randomBytes(24).toString('hex');
const world: World = {
  now,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** The minute of the day in the local time of this host, in which its operators give the unregister window. */
const minuteOfDay = (): number => {
  const at = new Date();
  return at.getHours() * 60 + at.getMinutes();
};

const fallback = builtIn();

/** Loaded when they are asked for: a host without a Uyuni server needs no client of PostgreSQL. */
const uyuni = () => import('./uyuni/commands.ts');
const uyuniChanges = () => import('./uyuni/reporting.ts');

/** The node agent as a program: the one file here with a clock, timers and chance. */
const program = agentProgram(
  {
    run,
    leave: leaving,
    rotate: rotating,
    status,
    fingerprint,
    doctor,
    processReport: async (given) => outcome(await reportProcess(folderAt(given.home), given)),
    processConfiguration: async (given) => outcome(await processConfiguration(folderAt(given.home), given, connectOnce(given))),
    processList: (given) => outcome(listProcesses(folderAt(given.home), given)),
    input: () => text(process.stdin),
    serviceReport: async (given) => outcome(await reportService(process.env, given, world)),
    serviceAsk: async (given) => outcome(await askMuster(process.env, given)),
    serviceFind: async (given) => outcome(await findServices(folderAt(given.home), process.env, given)),
    serviceList: (given) => outcome(listServices(folderAt(given.home), given)),
    uyuniInstall: async (given) => outcome(await (await uyuni()).uyuniInstall(given)),
    uyuniCheck: async (given) => outcome(await (await uyuni()).uyuniCheck(given)),
    uyuniRemove: async (given) => outcome(await (await uyuni()).uyuniRemove(given)),
    ...contentCommands({ outcome, limit, say, world }),
    ...clusterModeCommands({ outcome, endpoint: (given) => calledAt(folderAt(given.home), given), newSecret, now, limit }),
  },
  fallback,
);

async function run(options: AgentOptionsGiven): Promise<void> {
  const folder = folderAt(options.home);
  const ledger = ledgerOf(options, folder);
  const endpoint = calledAt(folder, options);
  const fault = faultOfSource(options) ?? faultOfProcesses(options);
  if (fault !== undefined) return program.error(`error: ${fault}`);
  // An unreadable token fails here, before the agent waits for an answer.
  if (ledger.node === undefined) tokenOf(folder, options);
  const release = holdFolder(folder);
  if (!release) return exit(exitCodes.busy, `another agent uses ${folder.path}: give each agent its own --home`);
  const { reportChanges: rhnConf } = options;
  const reporter = rhnConf && (await uyuniChanges()).reporterOf(rhnConf, { folder, newSource: randomUUID, say, world });
  process.exitCode = await untilEnded({ ...options, endpoint }, ledger, { folder, ...(reporter && { reporter }) });
  release();
}

/** The address at which the agent calls Muster. Ends the program for one that is not secure without `--insecure`. */
function calledAt(folder: Folder, { endpoint: given, insecure }: Pick<AgentOptionsGiven, 'endpoint' | 'insecure'>): string {
  const { endpoint } = findEndpoint(folder, given, fallback.endpoint);
  const fault = faultOfEndpoint(endpoint, insecure);
  return fault === undefined ? endpoint : program.error(`error: ${fault}`);
}

/** The ledger in the folder, or a new one with a key of this host's own. */
function ledgerOf(options: AgentOptionsGiven, folder: Folder): Ledger {
  const known = readLedger(folder);
  const own = ownName(options, known, hostname());
  if ('fault' in own) return program.error(`error: ${own.fault}: give its name by --fqdn <name>`);
  if (known && known.fqdn !== own.name)
    return program.error(`error: the ledger in ${folder.path} belongs to ${known.fqdn}: give ${own.name} its own --home`);
  return known ?? newLedger(own.name);
}

function fingerprint(options: AgentOptionsGiven): void {
  const folder = folderAt(options.home);
  const ledger = ledgerOf(options, folder);
  if (!readLedger(folder)) writeLedger(folder, ledger);
  process.stdout.write(`${showFingerprint(fingerprintOf(ledger.publicKey))}\n`);
}

/** The folder of the agent, and what reports the changes of a server on this host. */
type Here = { readonly folder: Folder; readonly reporter?: (agent: AgentView, listener: Watching['listener']) => Stopping };
type Stopping = { stop(): void };

/** Work that stops as one. */
const together = (running: readonly (Stopping | undefined)[]): Stopping => ({
  stop: () => {
    for (const one of running) one?.stop();
  },
});

/** Runs the agent until a signal or Muster ends it; gives the exit code. */
function untilEnded(
  options: AgentOptionsGiven & { readonly endpoint: string },
  ledger: Ledger,
  { folder, reporter }: Here,
): Promise<number> {
  const { endpoint } = options;
  const watch = options.watch ?? defaultWatch(ledger.fqdn, endpoint);
  const self = selfOf(options, ledger, watch);
  return new Promise((resolve) => {
    const watching = watchingOf(options, { folder, world, minute: minuteOfDay, say, node: ledger.fqdn, limit });
    let unlisten: (() => void) | undefined;
    const traces = new Traces({ folder, say });
    const offering = offeringHere(options, { folder, world, offered: () => watching.adopted?.(), say });
    const content = contentHere(options, { folder, world, limit, say });
    const entering = enteringHere(options.enter, { endpoint, world, say });
    const here = { folder, trace: traces.trace, world };
    const { secrets, powerCommand } = options;
    const site = siteHere({ ...here, secrets, powerCommand, environment: process.env });
    const contact = new Contact(clocksOf(world));
    const ofHost = { kernel: self.boot.kernel, environment: process.env, newName: randomUUID, say, mayGoOn: contact.isRecent };
    const zone = () => readLedger(folder)?.zone ?? 'default';
    const seat = new SeatHere(clocksOf(world));
    const clusterMode = clusterModeHere({ folder, endpoint, fqdn: ledger.fqdn, zone, seat, contact, routes: entering.routes, say, world });
    const keepers = keepersHere(options, { ...here, ...ofHost, site });
    const unhear = keepers.hear();
    const end = (code: number) => {
      agent.stop();
      clusterMode.stop();
      unlisten?.();
      unhear();
      resolve(code);
    };
    const agent = startAgent({
      connect: (signs) =>
        apiClient(endpoint, {
          timeoutMs: callLimitMs,
          fetching: signs(
            directly({
              route: nodeRoutes.heartbeat,
              mayCall: mayBeNamed(endpoint),
              now,
              after: limit,
              say,
              fetching: traces.fetching(fetch, now),
            }),
          ),
        }),
      self,
      folder,
      ledger,
      token: () => tokenOf(folder, options),
      ...thisHost(ledger.fqdn),
      releaseHook: releaseHookOf(options, watching),
      seen: watching.seen,
      beside: (agent) =>
        together([
          watching.start?.(agent),
          reporter?.(agent, watching.listener),
          offering.start(agent),
          content.start(agent),
          entering.start(agent),
        ]),
      seat,
      adoption: offering.wanted,
      content: content.wanted,
      actions: watching.actions,
      processes: keepers.processes,
      services: keepers.services,
      station: site.supervisor,
      coordinator: site.coordinator,
      contact,
      traces,
      say,
      joined: () => {
        unlisten = listenForWatch(listenAt(watch, endpoint), say);
      },
      ended: (planned) => {
        say(
          planned
            ? 'the node has left as announced; start the agent again to join as a new node'
            : `Muster has removed this node. If an operator removed it, an operator must admit it again (muster node admit ${ledger.fqdn}), or give it a new token, before you start the agent again`,
        );
        end(planned ? exitCodes.done : exitCodes.unwanted);
      },
      newId: randomUUID,
      newNonce: randomUUID,
      rotateEveryMs: options.rotateDays === undefined ? undefined : options.rotateDays * dayMs,
      world,
    });
    say(`${ledger.fqdn} calls ${endpoint}; client systems watch it at ${watch}`);
    const caution = cautionOfSource(options);
    if (caution !== undefined) say(caution);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(exitCodes.done));
  });
}

/** What the agent reports of its node; the boot is this start's own. */
function selfOf({ kind, zone, capacity }: AgentOptionsGiven, { fqdn }: Ledger, watch: string): Self {
  const bootId = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const boot = { id: randomUUID(), kernel: kernelBoot(bootId, now(), uptime()) };
  return { fqdn, kind, watch, boot, ...(zone && { zone }), ...(capacity !== undefined && { capacity }) };
}

/** What the agent reads of this host. */
function thisHost(fqdn: Fqdn): Pick<AgentOptions, 'facts' | 'load'> {
  return {
    facts: () => hostFacts(fqdn, { memoryBytes: totalmem(), cpus: availableParallelism(), interfaces: networkInterfaces(), os: osName() }),
    load: (systems) => loadOf(loadavg(), totalmem(), freemem(), systems),
  };
}

/** A client for one call, beside the agent that runs. */
const connectOnce = (given: AgentOptionsGiven) => (ledger: Ledger) => clientAt(calledAt(folderAt(given.home), given), ledger);

const clientAt = (endpoint: string, ledger: Ledger | undefined) =>
  apiClient(endpoint, { timeoutMs: callLimitMs, ...(ledger && { fetching: signsOnce(ledger, { now, newNonce: randomUUID })(fetch) }) });

async function leaving(given: LeaveGiven): Promise<void> {
  const { home, hold, until } = given;
  const moment = until === undefined ? undefined : momentOf(until, now());
  if (until !== undefined && moment === undefined)
    return program.error(`error: --until ${until} is not valid: give a span such as 90m or 2h, or a moment such as 2031-05-01T12:00:00Z`);
  const options = { mode: hold ? 'hold' : 'drain', ...(moment !== undefined && { until: moment }) } as const;
  const folder = folderAt(home);
  const { line, code } = await leave(folder, options, { connect: connectOnce(given), newId: randomUUID });
  exit(code, line);
}

function rotating({ home }: AgentOptionsGiven): void {
  const folder = folderAt(home);
  const ledger = readLedger(folder);
  if (ledger?.node === undefined) {
    exit(exitCodes.usage, `${home} holds no node that has joined`);
    return;
  }
  writeRotating(folder, ledger.publicKey);
  exit(exitCodes.done, `${ledger.fqdn} takes a new key with the next heartbeat of its agent`);
}

function status({ home, json }: StatusGiven): void {
  const view = ledgerView(folderAt(home));
  if (!view) exit(exitCodes.usage, `${home} holds no ledger: no agent has used this folder`);
  else process.stdout.write(json ? `${JSON.stringify(view, undefined, 2)}\n` : ledgerLines(view));
}

async function doctor({ json, ...given }: DoctorGiven, settings: GivenSettings): Promise<void> {
  const checks = await examine(given, settings, {
    hostname: hostname(),
    path: process.env['PATH'] ?? '',
    version: musterVersion,
    builtInEndpoint: fallback.endpoint,
    now,
    connect: clientAt,
  });
  process.stdout.write(json ? `${JSON.stringify(checks, undefined, 2)}\n` : checkLines(checks));
  process.exitCode = checks.some(({ is }) => is === 'missing') ? 1 : 0;
}

function outcome({ code, data, talk }: Outcome): void {
  if (data !== undefined) process.stdout.write(data);
  if (talk !== undefined) say(talk);
  process.exitCode = code;
}

function exit(code: number, line: string): void {
  say(line);
  process.exitCode = code;
}

function say(line: string): void {
  process.stderr.write(`muster-agent: ${printable(line)}\n`);
}

// Not awaited: a single executable is one CommonJS file, which cannot wait at its top.
void runCommandLine(program, process.argv).then((code) => process.exit(code));
