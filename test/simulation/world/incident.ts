import { contract } from '../../../lib/contract.ts';
import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import { plusMs } from '../../../lib/core/time.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { Incident } from '../config.ts';
import type { SimulatedHost } from './host.ts';
import { Knocker } from './knocking.ts';
import { anyway, type Person } from './people.ts';
import { Replacer } from './replacer.ts';
import type { SimulatedSystem } from './system.ts';

const secondMs = 1_000;
/** Machines have started and clients are at home by then. */
const startsMs = 180 * secondMs;

/** Who takes part in it. */
type Cast = {
  readonly hosts: readonly SimulatedHost[];
  readonly systems: readonly SimulatedSystem[];
  readonly operator: Person;
  readonly isOver: () => boolean;
};

/**
 * Carries an incident out: some nodes are not heard by Muster for a while, although the machines around them reach them
 * well.
 */
export function happen(incident: Incident, around: Around, cluster: Cluster, cast: Cast): void {
  const { kernel } = around;
  const at = (seconds: number, label: string, then: () => void): void =>
    void kernel.after(startsMs + seconds * secondMs, label, () => !cast.isOver() && !cluster.isAway && then());
  const silence = (host: SimulatedHost | undefined, seconds: number): void => {
    if (host) host.line.unheardUntil = kernel.now + seconds * secondMs;
  };
  const plots: Readonly<Record<Incident, () => void>> = {
    part: () => part(cast, at, silence),
    rack: () => rack(cast, at, silence),
    frozen: () => frozen(cast, at, silence),
    witnesses: () => witnesses(around, cast, { at, silence }),
    flapping: () => flapping(cast, at, silence),
    replacement: () => replacement(around, cluster, cast, at),
    recovery: () => recovery(cast, at, silence),
    readmission: () => readmission(cast, at),
    breakdown: () => breakdown(cast, at),
    'crash-loop': () => crashLoop(cast, at),
    interruption: () => interruption(around, cast, at),
    lapse: () => lapse(cast, at),
    restoration: () => restoration(cluster, at),
    outage: () => outage(cluster, cast, at),
    'no-queues': () => noQueues(around, cluster, { cast, at, silence }),
  };
  plots[incident]();
}

type At = (seconds: number, label: string, then: () => void) => void;
type Silence = (host: SimulatedHost | undefined, seconds: number) => void;

/** Three nodes fall silent together, and another for itself a minute later, whose clients go on knocking. */
function part({ hosts, systems }: Cast, at: At, silence: Silence): void {
  at(0, 'a part of the zone falls silent', () => {
    for (const host of hosts.slice(0, 3)) silence(host, 420);
  });
  at(60, 'another node falls silent', () => silence(hosts[3], 360));
  for (let seconds = 120; seconds < 400; seconds += 20)
    at(seconds, 'machines are asked to knock', () => {
      for (const system of systems) system.knockNow();
    });
}

/** The two nodes of a rack fall silent together. */
function rack({ hosts, operator }: Cast, at: At, silence: Silence): void {
  at(-60, 'the operator names racks', () => void nameRacks(hosts, operator));
  at(0, 'a rack falls silent', () => {
    for (const host of hosts.slice(0, 2)) silence(host, 300);
  });
}

async function nameRacks(hosts: readonly SimulatedHost[], operator: Person): Promise<void> {
  const nodes = (await operator.ask(contract.listNodes, { query: {} }))?.items ?? [];
  for (const [n, { fqdn }] of hosts.entries()) {
    const node = nodes.find((one) => one.fqdn === fqdn);
    if (node) await operator.ask(contract.editNode, { params: { id: node.id }, body: { labels: { rack: n < 2 ? 'r1' : `r${n}` } } });
  }
}

/**
 * A machine dies in a zone whose clients wait for it, and another, which has joined since and has no slots, takes its
 * place; the one before is switched on again.
 */
function replacement(around: Around, cluster: Cluster, { hosts, operator, isOver }: Cast, at: At): void {
  const [spare, lost] = [hosts.at(-1)!, hosts[0]!];
  const replacer = new Replacer(around, cluster, { hosts, spare, isOver });
  at(-60, 'the operator has clients wait for a lost node', () => void recover(operator, 'hold'));
  at(-40, 'another machine is switched on', () => spare.start());
  at(0, 'a machine dies', () => lost.stop(true));
  at(75, 'it is replaced', () => void replacer.handOver(lost, false));
  at(110, 'it is switched on all the same', () => lost.start());
}

/** A node falls silent in recovery mode and comes back, while another machine joins. */
function recovery({ hosts, operator }: Cast, at: At, silence: Silence): void {
  at(-60, 'the operator sets recovery mode', () => void recover(operator, 'elsewhere'));
  at(0, 'a node falls silent', () => silence(hosts[0], 150));
  at(10, 'another machine is switched on', () => hosts.at(-1)!.start());
}

/** An operator gives a node up; its agent asks to come back, and is let in two minutes later. */
function readmission({ hosts, operator }: Cast, at: At): void {
  const host = hosts[0]!;
  at(0, 'a node is given up', () => {
    const id = host.software()?.node;
    if (id !== undefined) void operator.ask(contract.dropNode, { params: { id }, body: anyway });
  });
  at(120, 'it is let in', () => void operator.ask(contract.admitHosts, { body: { hosts: [host.fqdn] } }));
}

/**
 * Nothing runs on a storage host any more, however often it is started, until somebody mends the machine and switches
 * it off and on.
 */
function breakdown({ hosts }: Cast, at: At): void {
  const host = hosts.find(({ processes }) => processes);
  if (!host?.processes) return;
  const { processes } = host;
  at(0, 'a machine breaks down', () => processes.breakDown());
  at(150, 'it is mended, and switched off', () => {
    host.stop(true);
    processes.mend();
  });
  at(160, 'it is switched on', () => host.start());
}

/**
 * What runs on a storage host comes up and ends soon after, again and again, until somebody mends the machine and
 * switches it off and on.
 */
function crashLoop({ hosts }: Cast, at: At): void {
  const host = hosts.find(({ processes }) => processes);
  if (!host?.processes) return;
  const { processes } = host;
  at(0, 'what runs on a machine ends as soon as it is up', () => processes.shake());
  at(180, 'it is mended, and switched off', () => {
    host.stop(true);
    processes.mend();
  });
  at(190, 'it is switched on', () => host.start());
}

const recover = (operator: Person, meanwhile: 'hold' | 'elsewhere'): Promise<unknown> =>
  operator.ask(contract.editZone, {
    params: { zone: defaultZone },
    body: { mode: 'recovery', meanwhile, remapAfterMs: meanwhile === 'hold' ? null : 0 },
  });

/** A node falls silent, and another is to be drained, while an operator has frozen their zone. */
function frozen({ hosts, operator }: Cast, at: At, silence: Silence): void {
  const zone = { zone: 'default' };
  at(-60, 'the operator freezes the zone', () => void operator.ask(contract.freezeZone, { params: zone, body: { what: 'all' } }));
  at(0, 'a node falls silent', () => silence(hosts[0], 240));
  at(60, 'another is to be drained', () => {
    const id = hosts[1]?.software()?.node;
    if (id !== undefined) void operator.ask(contract.leaveNode, { params: { id }, body: { mode: 'drain' } });
  });
  at(300, 'the operator lets go', () => void operator.ask(contract.unfreezeZone, { params: zone, body: {} }));
}

/** Messages are sent to a service, whose agent is killed while that answers them, and started again. */
function interruption({ kernel }: Around, { hosts, operator }: Cast, at: At): void {
  const host = hosts[0]!;
  const params = { zone: host.zone ?? defaultZone, type: 'greeter' as ServiceTypeName };
  const body = { node: host.fqdn };
  let isAwaited = false;
  host.services!.onGiven = () => {
    if (isAwaited) kernel.after(1, 'its agent is killed', () => host.stop());
    isAwaited = false;
  };
  at(-60, 'a service is started', () => void operator.ask(contract.startService, { params, body }));
  for (let seconds = 0; seconds < 120; seconds += 30) {
    at(seconds, 'it is sent a message', () => {
      isAwaited = true;
      void operator.ask(contract.sendService, { params, body: { ...body, message: 'greet' as ServiceTypeName, data: {} } });
    });
    at(seconds + 20, 'its agent is there', () => host.start());
  }
}

/**
 * Again and again the agent of the station that coordinates is killed, given an order while nobody knows yet, and
 * started again; and a machine dies for a while.
 */
function lapse({ hosts, operator }: Cast, at: At): void {
  const last = hosts.at(-1)!;
  at(20, 'a machine dies', () => last.stop(true));
  at(170, 'it is switched on', () => last.start());
  for (let seconds = 0; seconds < 270; seconds += 90)
    at(seconds, 'who coordinates is killed, and ordered something', () => {
      const acting = hosts.find(({ onSite }) => onSite?.coordinator.acts() !== undefined);
      if (!acting) return;
      acting.stop();
      const { zone = defaultZone } = acting;
      const host = hosts.find((one) => one !== acting)!.fqdn;
      void operator.ask(contract.orderOnSite, { params: { zone }, body: { host, force: true } }).then(() => acting.start());
    });
}

/**
 * The node with the most clients falls silent, and these say at once that they lost it: by their even seeds from
 * several networks.
 */
function witnesses({ config, kernel }: Around, { hosts, systems }: Cast, { at, silence }: { at: At; silence: Silence }): void {
  const on = (host: SimulatedHost): SimulatedSystem[] => systems.filter((system) => system.place === host.fqdn);
  at(0, 'a node falls silent, and its machines say so', () => {
    const host = [...hosts].sort((a, b) => on(b).length - on(a).length)[0];
    silence(host, 240);
    for (const [n, system] of (host ? on(host) : []).entries()) {
      if (config.seed % 2 === 0) system.line.address = `198.51.${n % 3}.7`;
      const { fqdn, publicKey, machineId } = system;
      const body = { publicKey, fqdn, machineId, lost: true };
      kernel.after((12 + n) * secondMs, `${system.name} misses its node`, () => {
        void new Knocker(kernel, system.line).knock({ body, by: system.pair });
      });
    }
  });
}

/** No queue can be reached for six minutes, and a node falls silent meanwhile. */
function noQueues({ kernel }: Around, cluster: Cluster, { cast, at, silence }: { cast: Cast; at: At; silence: Silence }): void {
  at(0, 'no queue can be reached', () => {
    cluster.queuesAwayUntil = plusMs(kernel.now, 360 * secondMs);
  });
  at(60, 'a node falls silent', () => silence(cast.hosts[0], 360));
}

/**
 * The control plane stands still for half an hour. What runs on hosts is killed five minutes later, and again when
 * nobody has heard of them for so long that they may be dropped soon.
 */
function outage(cluster: Cluster, { hosts }: Cast, at: At): void {
  at(0, 'the control plane stands still', () => cluster.sleep(1_790 * secondMs));
  for (const seconds of [300, 1_600])
    at(seconds, 'what runs on hosts is killed', () => {
      for (const host of hosts) host.killAll();
    });
}

/**
 * A deployment is stopped, exported, and imported again half a minute later, as `muster export` and `muster import` do
 * it.
 */
function restoration(cluster: Cluster, at: At): void {
  at(0, 'the deployment is stopped', () => cluster.sleep(60 * secondMs));
  at(30, 'it is imported again', () => cluster.store.restore());
}

/** A node is not heard for so long that it is lost, and then for a while it is, six times. */
function flapping({ hosts }: Cast, at: At, silence: Silence): void {
  let seconds = 0;
  for (let losses = 0; losses < 6; losses++) {
    const silent = 38 * (losses + 1) + 40;
    at(seconds, `a node falls silent for ${silent} s`, () => silence(hosts[0], silent));
    seconds += silent + 60;
  }
}
