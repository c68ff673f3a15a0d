import type { HostFacts, Load } from '../../../events/reported/node.ts';
import type { ApiClient } from '../../../lib/api/client.ts';
import type { Fid } from '../../../lib/core/fid.ts';
import type { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { NodeKind } from '../../../lib/nodes/node.ts';
import { offerSystems } from '../../../programs/agent/adoption/adopter.ts';
import { AdoptionWanted } from '../../../programs/agent/adoption/wanted.ts';
import { type Agent, startAgent } from '../../../programs/agent/agent.ts';
import { Contact } from '../../../programs/agent/contact.ts';
import { type Ledger, readLedger, readRotating, writeRotating } from '../../../programs/agent/ledger.ts';
import { ProcessKeeper } from '../../../programs/agent/processes/keeper.ts';
import type { Runner } from '../../../programs/agent/processes/runner.ts';
import type { Allowed } from '../../../programs/agent/services/allowed.ts';
import { ServiceKeeper } from '../../../programs/agent/services/keeper.ts';
import { signsOnce } from '../../../programs/agent/signed-calls.ts';
import { reportChanges } from '../../../programs/agent/uyuni/reporting.ts';
import type { AgentView } from '../../../programs/agent/view.ts';
import { PlayedServer } from '../../../programs/loadtest/played-server.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { SimulatedContent } from './common-content.ts';
import { diskFolder } from './disk.ts';
import { Entrance } from './entering.ts';
import { LegacySystems } from './legacy.ts';
import { Line } from './network.ts';
import type { Presence } from './presence.ts';
import { SimulatedProcesses } from './processes.ts';
import { SimulatedScheduler } from './scheduler.ts';
import { allowedOn } from './service-types.ts';
import { SimulatedServices } from './services.ts';
import type { Site, SiteOfHost } from './site.ts';
import { Standstill } from './standstill.ts';
import { supervisorOf } from './supervising.ts';
import { UyuniServer } from './uyuni-server.ts';

const none = { ok: false, why: 'nothing runs here' } as const;
/** Of a host that runs no processes: somebody speaks for its services all the same. */
const noRunner: Runner = {
  start: async () => none,
  stop: async () => none,
  kill: async () => none,
  look: async () => none,
  onEnd: () => undefined,
};

/** A machine as its agent finds it when it starts for the n-th time: somebody has given it more memory since. */
const facts = (fqdn: Fqdn, n: number): HostFacts => ({
  fqdn,
  address: '192.0.2.1',
  memoryMib: 4096 + 1024 * n,
  cpus: 2,
  interfaces: [],
  os: 'simulated',
});
const load = (systems: number): Load => ({ load1: 0.5, load5: 0.5, load15: 0.5, memoryUsedMib: 1024, memoryMib: 4096, systems });

/** A server that registers from one in twenty seconds to two a second, more and less as the minutes go by. */
function aServer(name: string, { kernel }: Around): PlayedServer {
  const random = kernel.random(`server of ${name}`);
  const [perS, since] = [0.05 * 40 ** random(), 600_000 * random()];
  return new PlayedServer({
    now: () => kernel.now,
    perS: (now) => perS * (1 + 0.5 * Math.sin((now + since) / 300_000)),
    jobMs: () => 2_000 + 10_000 * random(),
    isBroken: () => random() < 0.02,
  });
}

type Beside = (agent: AgentView) => { stop(): void };

/** Work beside an agent that begins and stops as one. */
const together =
  (works: readonly (Beside | undefined)[]): Beside =>
  (agent) => {
    const running = works.map((work) => work?.(agent));
    return {
      stop: () => {
        for (const one of running) one?.stop();
      },
    };
  };

/** What runs on a machine beside its agent. */
type Runs = { readonly processes: SimulatedProcesses | undefined; readonly services: SimulatedServices | undefined };

/**
 * A host that is to be a node: a machine with a disk, a line to Muster, and the real node agent on it whenever it is
 * on.
 */
export class SimulatedHost {
  readonly name: string;
  readonly fqdn: Fqdn;
  readonly line: Line;
  /** Its clock is so many ms off. */
  readonly clockOffMs: number;
  /** The agent ended for good: Muster has no place for it, as when it was drained. */
  ended: 'no' | 'unwanted' | 'left' = 'no';
  /** Agents that run elsewhere on copies of its folder. */
  readonly twins = new Set<Agent>();
  /** When its machine was last switched off; undefined while it never was. */
  switchedOffAt: EpochMs | undefined;
  /** A copy of its folder has run: for a while two machines have spoken with one key. */
  wasCloned = false;
  /** Makes these client systems knock. */
  makeKnock: (fps: readonly string[]) => void = () => undefined;
  disk: ReturnType<typeof diskFolder>;
  /** What runs here beside the agent; only on the hosts of a storage zone. */
  processes: SimulatedProcesses | undefined;
  /** The services that run here; only in a world that has some. */
  services: SimulatedServices | undefined;
  /** Which types of services its own configuration lets run. */
  readonly allowed: Allowed;
  /** The server whose bearing its agent measures; only in a world where rates adapt. */
  readonly server: PlayedServer | undefined;
  /** The Uyuni server on it, whose changes its agent reports; only in a world that has some. */
  readonly uyuni: UyuniServer | undefined;
  /** The systems that it had before it became a node; only in a world that has some. */
  readonly legacy: LegacySystems | undefined;
  /** Where people enter its server; only in a world in which somebody does. */
  readonly entrance: Entrance | undefined;
  /** What its server schedules for its client systems; only in a world in which somebody acts on them. */
  readonly scheduler: SimulatedScheduler | undefined;
  /** The common content of its server; only in a world in which somebody edits that. */
  readonly content: SimulatedContent | undefined;
  /** The network that it is on with the other hosts. */
  site: Site | undefined;
  /** Whether its agent may be a station's, which says whom it hears on site. */
  mayBeStation: boolean;
  /** What its agent is a station with; undefined while none runs, and in a world that has no stations. */
  onSite: SiteOfHost | undefined;
  #agent: Agent | undefined;
  /** How its agent stands still; undefined while none runs, and in a world where none does. */
  #standstill: Standstill | undefined;
  #served: ServiceKeeper | undefined;
  #keeper: ProcessKeeper | undefined;
  #names = 0;
  #agents = 0;
  #runs = 0;
  #kernelBoots = 1;
  #keys = 0;
  #nonces = 0;
  #copies = 0;
  readonly #around: Around;
  readonly #presence: Presence;
  /** The zone that its configuration asks for; undefined for the default one. */
  zone: ZoneName | undefined;

  /** The nth host; of the zone `storage` where that is given, with processes to run. */
  constructor(n: number, around: Around, cluster: Cluster, presence: Presence, storage?: ZoneName) {
    this.name = `host${n}`;
    this.fqdn = `node${n}.simulated.test` as Fqdn;
    this.#around = around;
    this.#presence = presence;
    this.mayBeStation = Boolean(around.config.stations);
    this.line = new Line(this.name, around, cluster);
    this.zone = storage ?? cluster.zones.named(cluster.zones.ofMachine(n)).zone;
    if (storage) this.processes = new SimulatedProcesses(this.name, around);
    this.allowed = allowedOn(around.kernel.random(`configuration of ${this.name}`));
    if (around.config.services || around.config.supervisors || around.config.stations)
      this.services = new SimulatedServices(this.name, around, this.allowed);
    if (around.config.adapts && !storage) this.server = aServer(this.name, around);
    if (around.config.changes && !storage) this.uyuni = new UyuniServer(this.fqdn, around);
    if (around.config.legacy && !storage) this.legacy = new LegacySystems(this.fqdn, around, presence);
    if (around.config.enters && !storage) this.entrance = new Entrance(this.fqdn, around);
    if (around.config.acts && !storage) this.scheduler = this.#schedulerOf(presence);
    if (around.config.edits && !storage) this.content = new SimulatedContent(this.fqdn, around);
    this.disk = diskFolder(this.name);
    this.clockOffMs = around.faults.hits('skew', 3) ? Math.round((around.faults.draw('skew') - 0.5) * 2 * 600_000) : 0;
  }

  get isOn(): boolean {
    return this.#agent !== undefined;
  }

  /** Since when its agent stands still; undefined while it does not. */
  get hungSince(): EpochMs | undefined {
    return this.#standstill?.since;
  }

  /** What the agent itself thinks of its state; undefined while none runs. */
  get state(): ReturnType<Agent['state']> | undefined {
    return this.#agent?.state();
  }

  /** Starts the agent, with what is on the disk; a first start makes a key. */
  start(): void {
    if (this.#agent || this.ended !== 'no') return;
    this.#agents += 1;
    this.#agent = this.run(this.disk, `${this.name}-boot-${this.#agents}`);
  }

  /** Runs an agent on a folder under a boot id: its own, or those of a clone. */
  run(folder: Folder, bootId: string, { processes, services }: Runs = this): Agent {
    const { kernel, config } = this.#around;
    const { capacity } = config;
    const ledger = readLedger(folder) ?? this.#newLedger();
    const random = kernel.random(`agent ${bootId}`);
    // Two machines may run with one boot id; what each draws by chance is its own.
    this.#runs += 1;
    const run = this.#runs;
    let ids = 0;
    const standstill = this.#around.faults.isOn('hang') ? new Standstill() : undefined;
    const after = (waitMs: number, then: () => void) => kernel.after(waitMs, `${this.name} wakes`, then);
    const world = { now: this.#now, after: standstill?.after(after) ?? after, random };
    const say = (line: string): void => kernel.note(`${this.name}: ${line}`);
    const contact = new Contact(() => [kernel.now, world.now()]);
    const keeping = { folder, say, world, mayGoOn: contact.isRecent };
    const keeper =
      processes && new ProcessKeeper({ ...keeping, runner: processes, files: processes, lives: processes.lives, newName: this.#newName });
    if (processes === this.processes) this.#keeper = keeper;
    if (folder === this.disk) this.#standstill = standstill;
    if (standstill && processes) processes.reach = standstill.reach;
    const words = keeper ?? this.#speaker(folder, services, say, world);
    const served =
      services &&
      words &&
      new ServiceKeeper({ ...keeping, runner: services, lives: services.lives, allowed: this.allowed, reporter: words });
    services?.heardBy(served);
    if (folder === this.disk) this.#served = served;
    const onSite = this.mayBeStation ? this.site?.of(this, folder, world) : undefined;
    const supervisor = served && words && supervisorOf(this.#around, this, { folder, words, served, world, run });
    if (services === this.services) this.onSite = onSite;
    if (services) services.carriesOut = onSite?.carryOut;
    const offering = this.#offeringOf(folder, { say, world });
    // A copy of the machine has a copy of the server, which acts on nobody.
    const acting = folder === this.disk ? this.scheduler?.keeper(folder, { say, world }) : undefined;
    // A copy of the machine has a copy of the server, whose content nobody shares.
    const sharing = folder === this.disk ? this.content?.following(folder, { say, world }) : undefined;
    const agent = startAgent({
      connect: (signs) => this.line.api(standstill ? (fetching) => signs(standstill.fetching(fetching)) : signs),
      self: {
        fqdn: this.fqdn,
        kind: this.#kind,
        ...(this.zone && { zone: this.zone }),
        ...(capacity !== undefined && { capacity }),
        boot: { id: bootId, kernel: `${this.name}-kernel-${this.#kernelBoots}` },
      },
      folder,
      ledger,
      token: () => folder.read('token'),
      facts: () => facts(this.fqdn, run),
      load,
      seen: () => this.#presence.seenOn(this.fqdn),
      releaseHook: async (fps) => {
        this.makeKnock(fps);
        return { ok: true };
      },
      say,
      contact,
      bearing: this.server?.measured,
      beside: together([
        this.#reportingOf(folder, bootId, { say, world }),
        offering?.start,
        this.#entranceOf(folder),
        acting?.start,
        sharing?.start,
      ]),
      actions: acting?.keeper,
      adoption: offering?.wanted,
      content: sharing?.wanted,
      processes: keeper,
      services: served && words && { keeper: served, supervisor, reporter: words },
      ...onSite,
      ended: (planned) => {
        // Whoever ends takes along what is kept beside it, which would else go on by its old orders beside the next,
        // and write into its folder.
        agent.stop();
        if (this.#agent !== agent) return;
        this.stop();
        this.ended = planned ? 'left' : 'unwanted';
      },
      newId: () => {
        ids += 1;
        return `${bootId}-report-${run}.${ids}`;
      },
      newNonce: this.#newNonce,
      newKeys: this.#newKeys,
      world,
    });
    return agent;
  }

  /** What it is a node of: only a Uyuni server can be entered, has common content, and acts on client systems. */
  get #kind(): NodeKind {
    if (this.processes) return 'storage';
    return this.entrance || this.scheduler || this.#around.config.edits ? 'uyuni' : 'salt';
  }

  #schedulerOf(presence: Presence): SimulatedScheduler {
    const scheduler = new SimulatedScheduler(this.fqdn, this.#around, presence);
    scheduler.killAgent = (backAfterMs) => {
      this.stop();
      this.#around.kernel.after(backAfterMs, `${this.name} starts its agent again`, () => this.start());
    };
    return scheduler;
  }

  /** What lets people into its server. Browsers reach the machine itself, and no copy of it. */
  #entranceOf = (folder: Folder): Beside | undefined => (folder === this.disk ? this.entrance?.start : undefined);

  /** What reports the changes of its server. A copy of the machine has a copy of its database, which nobody reads. */
  #reportingOf(
    folder: Folder,
    bootId: string,
    more: { say(line: string): void; world: World },
  ): ((agent: AgentView) => { stop(): void }) | undefined {
    const { uyuni } = this;
    if (!uyuni || folder !== this.disk) return undefined;
    return (agent) => reportChanges({ ...uyuni.reached(), folder, newSource: () => `${bootId}-source`, ...more }, agent);
  }

  /** What offers the systems that it had before. A copy of the machine has none. */
  #offeringOf(folder: Folder, more: { say(line: string): void; world: World }): { wanted: AdoptionWanted; start: Beside } | undefined {
    const { legacy: systems } = this;
    if (!systems || folder !== this.disk) return undefined;
    const wanted = new AdoptionWanted(folder);
    return { wanted, start: (agent) => offerSystems({ wanted, systems, offered: () => undefined, ...more }, agent) };
  }

  /** Each copy is a machine of its own, with a name of its own. */
  nameOfCopy(): string {
    this.#copies += 1;
    return `${this.name}-clone${this.#copies === 1 ? '' : this.#copies}`;
  }

  /** What another machine runs that is a copy of this one. */
  others = (name: string): Runs => ({
    processes: this.processes && new SimulatedProcesses(name, this.#around),
    services: this.services && new SimulatedServices(name, this.#around, this.allowed),
  });

  /** Who speaks for the services of a host that runs no processes. */
  #speaker(folder: Folder, services: SimulatedServices | undefined, say: (line: string) => void, world: World): ProcessKeeper | undefined {
    const files = { write: async () => undefined, remove: () => undefined };
    return services && new ProcessKeeper({ folder, runner: noRunner, files, lives: services.lives, newName: this.#newName, say, world });
  }

  /** Whoever an unmanaged process belongs to starts or ends it, and says so to the agent, if one runs. */
  launch(fid: Fid, does: 'start' | 'end'): void {
    const life = does === 'start' ? this.processes?.launch(fid) : undefined;
    const keeper = this.hungSince === undefined ? this.#keeper : undefined;
    if (life) keeper?.report({ process: fid, is: 'STARTED', life });
    if (does === 'start') return;
    this.processes?.end(fid);
    keeper?.report({ process: fid, is: 'STOPPED' });
  }

  /** Somebody brings a join token to the host; taken away again by undefined. */
  give(token: string | undefined): void {
    if (token === undefined) this.disk.remove('token');
    else this.disk.write('token', token);
  }

  /**
   * Somebody wants the node to have another key. Never while a copy of its folder runs: whichever of the two is first
   * would be the node.
   */
  takeAnotherKey(): void {
    const ledger = readLedger(this.disk);
    if (ledger?.node !== undefined && this.twins.size === 0) writeRotating(this.disk, ledger.publicKey);
  }

  /** Whether its key is being replaced. */
  get isTakingKey(): boolean {
    const ledger = readLedger(this.disk);
    return ledger !== undefined && (ledger.nextKey !== undefined || ledger.oldKey !== undefined || readRotating(this.disk, ledger));
  }

  /** How the node's own software calls Muster: by what its ledger holds now; undefined before it has joined. */
  software(): { readonly api: ApiClient; readonly node: NodeId } | undefined {
    const ledger = readLedger(this.disk);
    if (ledger?.node === undefined) return undefined;
    return { api: this.line.api(signsOnce(ledger, { now: this.#now, newNonce: this.#newNonce })), node: ledger.node };
  }

  /** Its agent stands still until it goes on, or is killed; `kills`: what runs beside it is killed. */
  hang(kills: boolean): void {
    if (!this.#standstill) return;
    this.#around.kernel.note(`${this.name} hangs`);
    this.#standstill.begin(this.#around.kernel.now);
    this.services?.heardBy(undefined);
    if (kills) this.killAll();
  }

  /** Whatever runs beside its agent is killed. */
  killAll(): void {
    this.processes?.killAll();
    this.services?.killAll();
  }

  /** Its agent goes on, if it stood still. */
  goOn(): void {
    if (this.hungSince === undefined) return;
    this.services?.heardBy(this.#served);
    this.#standstill!.end();
  }

  /** The agent is killed; `reboot` says that the whole machine is. */
  stop(reboot = false): void {
    this.#agent?.stop();
    this.#agent = undefined;
    this.#standstill = undefined;
    this.#served = undefined;
    this.onSite = undefined;
    this.#keeper = undefined;
    this.processes?.unheard();
    this.services?.unheard();
    if (!reboot) return;
    this.#kernelBoots += 1;
    this.switchedOffAt = this.#around.kernel.now;
    this.processes?.reboot();
    this.services?.reboot();
  }

  endTwin(twin: Agent): void {
    twin.stop();
    this.twins.delete(twin);
  }

  /** The machine comes back with an empty disk: it has a new key, and its name. */
  loseDisk(): void {
    this.stop(true);
    this.disk = diskFolder(this.name);
    this.ended = 'no';
    // A copy of the folder that is lost here may run on, and speak as the node that this host was.
    this.wasCloned = this.twins.size > 0;
  }

  #now = (): EpochMs => plusMs(this.#around.kernel.now, this.clockOffMs);

  /** Of this host's calls alone, whoever on it makes them: a copy of its folder has the same key. */
  #newNonce = (): string => {
    this.#nonces += 1;
    return `${this.name}-${String(this.#nonces).padStart(16, '0')}`;
  };

  /** Names what a folder has to say of its processes. */
  #newName = (): string => {
    this.#names += 1;
    return `${this.name}words${this.#names}`;
  };

  #newKeys = (): KeyPair => {
    this.#keys += 1;
    return keyPairOf(`${this.fqdn} ${this.#keys}`);
  };

  #newLedger(): Ledger {
    return {
      version: 1,
      ...this.#newKeys(),
      fqdn: this.fqdn,
      incarnation: 0,
      generation: 0,
      desired: { rev: 0, release: [], released: 0 },
    };
  }
}
