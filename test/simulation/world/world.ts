import { contract } from '../../../lib/contract.ts';
import type { NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { fingerprintOf, nodeIdOf } from '../../../lib/identity/fingerprint.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { type AskedZone, planZone } from '../../../lib/zones/create.ts';
import { defaultZone, defaultZoneNumber } from '../../../lib/zones/zone.ts';
import { aShell } from '../../../tools/support/a-shell.ts';
import { admitEveryoneIn } from '../../../tools/support/everyone.ts';
import { type Around, Cluster, type Functions } from '../cluster.ts';
import type { Config } from '../config.ts';
import type { Version } from '../environment.ts';
import { Sources } from '../sources.ts';
import { actOnSome } from './actor.ts';
import { editSome } from './editing.ts';
import { enterSome } from './entering.ts';
import type { FactsFiles } from './facts-files.ts';
import { foresee } from './foreseer.ts';
import { Gate, isGuarded } from './gate.ts';
import { orderPowerCycles } from './hands.ts';
import { askInHaste } from './hasty.ts';
import { SimulatedHost } from './host.ts';
import { seeToIdentities, settleCopied } from './identities.ts';
import { pretend } from './impostor.ts';
import { happen } from './incident.ts';
import { listenIn } from './intruder.ts';
import { AutomationKey, Outsider } from './key-holders.ts';
import { replaceKeys, turnSwitches } from './key-master.ts';
import { adoptSome } from './legacy.ts';
import { askToBeWatched } from './liar.ts';
import { Finisher, factsOf, loadSome } from './loader.ts';
import { acceptHeld } from './machine-ids.ts';
import { Metastore } from './metastore.ts';
import { bringInSite } from './neighbours.ts';
import { Onboarding } from './onboarding.ts';
import { orderSupervisors } from './overseer.ts';
import { setRates } from './pacer.ts';
import { passBy } from './passers-by.ts';
import { administratorsDeeds, anyway, automate, Person } from './people.ts';
import { pinSome } from './pinner.ts';
import { Presence } from './presence.ts';
import { readChanges } from './reader.ts';
import { readmitSome } from './readmitter.ts';
import { installAnew, Replacer } from './replacer.ts';
import { settleSome } from './settlers.ts';
import { Site } from './site.ts';
import { manStations, nameStations, stationsWanted } from './stationmaster.ts';
import { letGo, steerZones } from './steerer.ts';
import { orderServices } from './steward.ts';
import { keepStore, openStore, storageHosts, storageZone } from './storekeeper.ts';
import { haveDelivered } from './subscriber.ts';
import { SimulatedSystem } from './system.ts';
import { makeTrouble } from './trouble.ts';
import { upgradeInVain } from './upgrade.ts';
import { changeServers } from './uyuni-server.ts';
import { lentZone, Watchtower } from './watchtower.ts';
import { planZones } from './zone-planner.ts';

/** Machines start within so many ms of the beginning. */
const startsWithinMs = 60_000;

/** The number of the first zone besides the default one and that of outsiders. */
const otherZoneNumber = defaultZoneNumber + 1;
/** The number of the storage zone: after those; and that of the zone of machines that are vouched for. */
const storageZoneNumber = otherZoneNumber + 20;
const lentZoneNumber = storageZoneNumber + 1;

/**
 * Where nodes are replaced, or one joins late, one machine more is there for it, and is switched on when it is needed.
 */
const hasSpare = ({ replacement, incident }: Config): boolean =>
  (replacement ?? false) || incident === 'replacement' || incident === 'recovery';

/** Whether somebody sets zones, so that somebody has to set them back. */
const isSteered = ({ steered, incident }: Config): boolean => (steered ?? false) || incident === 'replacement' || incident === 'recovery';

/** Hosts of the storage zone come after the others, and before the spare. */
const storageHostsOf = ({ storage }: Config): number => (storage ? storageHosts : 0);
const isStorage = (config: Config, n: number): boolean => n >= config.nodes && n < config.nodes + storageHostsOf(config);

/** A whole world: the control plane, machines with the real programs on them, and people. */
export class World {
  readonly cluster: Cluster;
  readonly sources: Sources;
  readonly hosts: readonly SimulatedHost[];
  readonly systems: readonly SimulatedSystem[];
  readonly presence: Presence;
  readonly operator: Person;
  readonly metastore: Metastore;
  /** The facts files that somebody loads, by the zones that these are for. */
  readonly files: ReadonlyMap<ZoneName, FactsFiles>;
  readonly site: Site;
  /** The stations that each zone is to have, where any is. */
  readonly stations: ReturnType<typeof stationsWanted>;
  /** Who vouches for machines, in a world that has such. */
  readonly watchtower: Watchtower | undefined;
  readonly #finisher: Finisher;
  readonly #gate: Gate | undefined;
  readonly #outsider: Outsider | undefined;
  readonly #around: Around;
  /** What makes this history besides the code. */
  readonly config: Config;
  #healing = false;
  #silent = false;

  constructor(around: Around, versions: Readonly<Record<Version, Functions>>) {
    const { config } = around;
    this.#around = around;
    this.config = config;
    this.presence = new Presence(around.kernel);
    this.cluster = new Cluster(around, versions);
    this.sources = new Sources(around, this.cluster);
    this.hosts = Array.from(
      { length: config.nodes + storageHostsOf(config) + (hasSpare(config) ? 1 : 0) },
      (_, n) => new SimulatedHost(n + 1, around, this.cluster, this.presence, isStorage(config, n) ? storageZone : undefined),
    );
    this.site = new Site(around, this.cluster);
    this.site.connect(this.hosts);
    this.stations = stationsWanted(config, this.hosts);
    for (const host of this.hosts) host.site = this.site;
    const surroundings = { around, cluster: this.cluster, presence: this.presence, hosts: this.hosts };
    this.systems = Array.from({ length: config.clients }, (_, n) => new SimulatedSystem(n + 1, surroundings));
    for (const [n, { fp }] of this.systems.entries()) this.cluster.zones.deal(fp, n + 1);
    this.operator = new Person('operator', around, this.cluster, () => this.#silent);
    this.metastore = new Metastore(around, this.cluster, this.hosts, () => this.#healing);
    this.files = factsOf(around, this.hosts);
    this.#finisher = new Finisher(around, this.cluster, this.files, () => this.#silent);
    if (config.vouched)
      this.watchtower = new Watchtower(around, this.cluster, {
        hosts: this.hosts,
        isOver: () => this.#healing,
        isSilent: () => this.#silent,
      });
    if (isGuarded(config)) this.#gate = new Gate(around, this.cluster, this.hosts, () => this.#healing);
    if (around.faults.isOn('outsider')) this.#outsider = new Outsider(around, this.cluster, () => this.#healing);
    if (config.adapts) this.presence.entered = (fp, fqdn) => this.hosts.find((host) => host.fqdn === fqdn)?.server?.accept(fp);
    for (const host of this.hosts)
      host.makeKnock = (fps) => {
        for (const system of this.systems) if (fps.includes(system.fp)) system.knockNow();
      };
  }

  /** Machines are switched on one by one, people begin to work. */
  start(): void {
    const { kernel, config } = this.#around;
    const isOver = (): boolean => this.#healing;
    const random = kernel.random('starts');
    this.sources.start();
    const spare = hasSpare(config) ? this.hosts.at(-1) : undefined;
    for (const machine of [...this.hosts.filter((host) => host !== spare), ...this.systems])
      kernel.after(
        random() * startsWithinMs,
        `${machine.name} is switched on`,
        () => !this.#silent && !this.cluster.isAway && machine.start(),
      );
    for (let n = 1; n <= config.admins; n++) {
      const admin = new Person(`admin${n}`, this.#around, this.cluster, isOver);
      admin.work([...administratorsDeeds(admin), ...(this.#holdsSome ? [() => this.#acceptHeld(admin)] : [])]);
    }
    changeServers(this.hosts, this.cluster, isOver);
    pinSome(this.#around, this.cluster, isOver);
    adoptSome(this.#around, this.cluster, this.hosts, isOver);
    enterSome(this.#around, this.cluster, this.hosts, isOver);
    editSome(this.#around, this.cluster, this.hosts, isOver);
    actOnSome(this.#around, this.cluster, isOver);
    seeToIdentities(this.#around, this.cluster, isOver);
    haveDelivered(this.#around, this.cluster, isOver);
    if (config.upgrade) upgradeInVain(this.#around, this.cluster, this.hosts[0]!, isOver);
    if (spare && config.replacement) new Replacer(this.#around, this.cluster, { hosts: this.hosts, spare, isOver }).start();
    manStations(this.#around, this.cluster, { hosts: this.hosts, site: this.site, isOver });
    orderPowerCycles(this.#around, this.cluster, { hosts: this.hosts, stations: this.stations, isOver });
    orderServices(this.#around, this.cluster, this.hosts, isOver);
    orderSupervisors(this.#around, this.cluster, this.hosts, isOver);
    keepStore(this.#around, this.cluster, this.hosts, isOver);
    loadSome(this.#around, this.cluster, this.files, isOver);
    settleSome(this.#around, this.cluster, isOver);
    readmitSome(this.#around, this.cluster, () => this.#askingBack().length > 0, isOver);
    foresee(this.#around, this.cluster, isOver);
    bringInSite(this.#around, this.cluster, isOver);
    if (config.steered) steerZones(this.#around, this.cluster, isOver);
    setRates(this.#around, this.cluster, isOver);
    if (config.metadata) this.metastore.start(() => this.#silent);
    this.operator.work([() => this.operator.acceptAll()]);
    readChanges(this.#around, this.cluster, () => this.#silent);
    if (config.incident)
      happen(config.incident, this.#around, this.cluster, { hosts: this.hosts, systems: this.systems, operator: this.operator, isOver });
    this.#outsider?.start();
    const key = this.#around.faults.isOn('stolen-key') ? new AutomationKey(this.#around, this.cluster, isOver) : undefined;
    key?.start();
    const automation = new Person('automation', this.#around, this.cluster, isOver, key && (() => key.secret));
    if (config.automation) automate(automation, this.#around, this.cluster);
    askInHaste(this.#around, this.cluster, { systems: this.systems, isOver });
    passBy(this.#around, this.cluster, { hosts: this.hosts, systems: this.systems, isOver });
    this.watchtower?.start();
    this.#gate?.start();
    askToBeWatched(this.#around, this.cluster, isOver);
    const { isOn } = this.#around.faults;
    if (isOn('found-token')) new Onboarding(this.#around, this.cluster, this.systems, isOver).start();
    if (isOn('new-token-key')) replaceKeys(this.#around, this.cluster, isOver);
    if (isOn('switched')) turnSwitches(this.#around, this.cluster, isOver);
    if (isOn('impostor')) pretend(this.#around, this.cluster, { systems: this.systems, isOver });
    if (this.#around.faults.isOn('replay')) listenIn(this.#around, this.cluster, { hosts: this.hosts, systems: this.systems, isOver });
    if (this.cluster.zones.areMany) planZones(this.#around, this.cluster, isOver);
    makeTrouble(this.#around, this.cluster, { hosts: this.hosts, systems: this.systems, isOver });
  }

  /**
   * Every host is admitted, unless somebody is to let each in; and a zone of another size than the default one's is
   * there before anybody needs it.
   */
  async prepare(): Promise<void> {
    const { kernel, config } = this.#around;
    const zones = [...this.cluster.zones.names, ...(config.storage ? [storageZone] : [])];
    if (!this.#around.faults.isOn('closed')) await admitEveryoneIn(this.cluster.store.calm, kernel.now, zones);
    await this.#outsider?.prepare();
    await this.#makeZones();
    if (config.slots === 1024 && !config.readmit) return;
    const shell = { ...aShell(), table: this.cluster.store.calm, now: () => kernel.now };
    await applyPlan(shell, { id: 'a zone' }, async () => planZone(defaultZone, defaultZoneNumber, kernel.now, config.slots, this.#asked()));
  }

  /**
   * The zones besides the default one are there before anybody needs them; what is deleted of them while they are empty
   * is made again.
   */
  async #makeZones(): Promise<void> {
    const { kernel } = this.#around;
    const shell = { ...aShell(), table: this.cluster.store.calm, now: () => kernel.now };
    for (const [n, name] of this.cluster.zones.names.entries())
      if (name !== defaultZone)
        await applyPlan(shell, { id: name }, async () => planZone(name, otherZoneNumber + n, kernel.now, undefined, this.#asked()));
    if (this.#around.config.vouched)
      await applyPlan(shell, { id: lentZone }, async () =>
        planZone(lentZone, lentZoneNumber, kernel.now, undefined, { asked: { readmit: 'auto' } }),
      );
    if (!this.#around.config.storage) return;
    const asked = this.#asked({ kind: 'storage' });
    await applyPlan(shell, { id: storageZone }, async () => planZone(storageZone, storageZoneNumber, kernel.now, undefined, asked));
  }

  /**
   * What is asked of a zone that is there from the beginning, with what this world asks of each; nothing where it is as
   * zones usually are.
   */
  #asked(asked: AskedZone = {}): { readonly asked?: AskedZone } {
    const { readmit } = this.config;
    const all = { ...asked, ...(readmit && { readmit }) };
    return Object.keys(all).length === 0 ? {} : { asked: all };
  }

  /** Faults end: machines are switched on, dead letters given back, people see to what waits for them. */
  heal(): void {
    const { kernel, faults } = this.#around;
    this.#healing = true;
    faults.heal();
    this.cluster.asleepUntil = kernel.now;
    this.site.join();
    for (const line of [...this.hosts, ...this.systems].map((machine) => machine.line)) line.cutUntil = line.unheardUntil = 0;
    for (const host of this.hosts) {
      for (const twin of host.twins) host.endTwin(twin);
      host.ended = 'no';
      host.goOn();
      host.start();
    }
    for (const system of this.systems) {
      for (const copy of system.copies) system.endCopy(copy);
      system.start();
      system.showOnNode(true);
    }
    void this.#tend();
  }

  /**
   * What an operator does once it is calm, again and again: redrive, accept, drop what will not come back, lift what
   * holds.
   */
  async #tend(): Promise<void> {
    for (;;) {
      for (const queue of this.cluster.queues.values()) queue.redrive();
      for (const name of this.cluster.zones.names.slice(1)) await this.#open(name);
      await this.operator.acceptAll();
      await this.#seeToKeys();
      await this.operator.redrive();
      await this.#gate?.admitAll(this.operator);
      for (const zone of this.#zonesOfNodes()) await this.#tendNodes(zone);
      await this.#readmit();
      await nameStations(this.operator, this.stations);
      if (this.#around.config.storage) await this.#tendStore();
      if (this.watchtower) await this.watchtower.tend(this.operator);
      if (isSteered(this.#around.config)) await letGo(this.operator, this.cluster);
      if (this.#silent) return;
      this.#switchOn();
      await this.#around.kernel.wait(20_000, 'the operator looks again');
      if (this.#silent) return;
    }
  }

  /** Makes a zone; one whose deletion died is deleted first, as its refusal says. */
  async #open(name: ZoneName): Promise<void> {
    if (await this.operator.ask(contract.createZone, { body: { name } })) return;
    const zone = await this.operator.ask(contract.getZone, { params: { zone: name } });
    if (zone?.deletingSince) await this.operator.ask(contract.deleteZone, { params: { zone: name }, body: {} });
  }

  #switchOn(): void {
    for (const host of this.hosts) {
      if (this.#isReplaced(host)) installAnew(host);
      host.ended = 'no';
      host.start();
    }
  }

  async #tendStore(): Promise<void> {
    await this.#tendNodes(storageZone);
    await openStore(this.operator, this.cluster);
    await this.#finisher.finish();
  }

  /** What keys wait for a word about them. */
  async #seeToKeys(): Promise<void> {
    if (this.#holdsSome) await this.#acceptHeld(this.operator);
    if (this.#around.config.boots) await settleCopied(this.operator, this.cluster);
  }

  /** Whether some keys wait for a word about them. */
  get #holdsSome(): boolean {
    const { clones, namesakes, boots } = this.#around.config;
    return (clones ?? false) || (namesakes ?? false) || (boots ?? false);
  }

  #acceptHeld = (person: Person): Promise<void> => acceptHeld(person, (fp) => this.cluster.zones.named(this.cluster.zones.ofSystem(fp)));
  /** Whether another machine has taken its place, or is to: it is told that it was removed. */
  #isReplaced(host: SimulatedHost): boolean {
    return this.#rowOf(host)?.replacedBy !== undefined;
  }

  /** The row of the node that a host is now, as it is stored; undefined where there is none. */
  #rowOf(host: SimulatedHost): Node | undefined {
    const id = this.nodeOf(host);
    const row = id === undefined ? undefined : this.cluster.store.rows.rows.get(nameOf(keyOf({ noun: 'node', id })));
    return row && !row.gone ? (row.body as Node) : undefined;
  }

  /** The nodes of hosts that were given up and wait for an administrator's word. */
  #askingBack(): Node[] {
    return this.hosts.flatMap((host) => {
      const node = this.#rowOf(host);
      return node?.status === 'dropped' && node.readmission === 'asked' && node.removedAt === undefined ? [node] : [];
    });
  }

  /** By their keys: the version before lists none of them. */
  async #readmit(): Promise<void> {
    const hosts = this.#askingBack().map(({ publicKey }) => fingerprintOf(publicKey));
    if (hosts.length > 0) await this.operator.ask(contract.admitHosts, { body: { hosts } });
  }

  /**
   * The zones of this world, and each other in which a host was let in: by somebody of that zone, while the version
   * before served that let him.
   */
  #zonesOfNodes(): ReadonlySet<ZoneName> {
    const rows = this.hosts.flatMap((host) => this.#rowOf(host) ?? []);
    return new Set([...this.cluster.zones.names, ...rows.flatMap(({ zone }) => (zone === storageZone ? [] : zone))]);
  }

  async #tendNodes(zone: ZoneName): Promise<void> {
    const nodes = (await this.operator.ask(contract.listNodes, { query: this.cluster.zones.named(zone) }))?.items ?? [];
    const present = new Set(this.hosts.flatMap((host) => this.nodeOf(host) ?? []));
    for (const { id, status } of nodes) {
      if (!present.has(id) && status !== 'dropped') await this.operator.ask(contract.dropNode, { params: { id }, body: anyway });
      else if (status === 'quarantined' || status === 'leaving')
        await this.operator.ask(contract.leaveNode, { params: { id }, body: { mode: 'stay' } });
    }
  }

  /** The node that a host is now; undefined while it has no key. */
  nodeOf(host: SimulatedHost): NodeId | undefined {
    const text = host.disk.read('ledger.json');
    if (text === undefined) return undefined;
    const { node, publicKey } = JSON.parse(text) as { readonly node?: NodeId; readonly publicKey: string };
    return node ?? nodeIdOf(publicKey);
  }

  /** Machines fall silent, all at once: nothing new comes in. */
  silence(): void {
    this.#silent = true;
    this.site.silence();
    for (const machine of [...this.hosts, ...this.systems]) machine.stop();
  }
}
