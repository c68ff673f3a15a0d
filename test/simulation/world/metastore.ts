import { Unreachable } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { Fingerprint, type MetadataKind } from '../../../lib/core/ids.ts';
import { readLedger, readList } from '../../../programs/agent/ledger.ts';
import type { Memory } from '../../../programs/agent/salt/memory.ts';
import { withApplied } from '../../../programs/agent/salt/memory.ts';
import { heardOf } from '../../../programs/agent/salt/news.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf, type Random } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** How often the software on a node looks whose metadata is to be applied, in ms, as its agent does. */
const everyMs = 20_000;

const kinds = ['channels', 'notes', 'actions'] as MetadataKind[];

type Held = { readonly of: string; readonly memory: Memory };

/**
 * Who writes metadata, and who applies it: an operator, and the software on each node, which reports what is set there.
 */
export class Metastore {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #hosts: readonly SimulatedHost[];
  readonly #clerk: Person;
  readonly #held = new Map<SimulatedHost, Held>();
  #written = 0;

  constructor(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean) {
    this.#around = around;
    this.#cluster = cluster;
    this.#hosts = hosts;
    this.#clerk = new Person('clerk', around, cluster, isOver);
  }

  /** `isSilent`: nobody is to do anything any more, the machines included. */
  start(isSilent: () => boolean): void {
    this.#clerk.work([() => this.#write(), () => this.#write(), () => this.#write(), () => this.#remove()]);
    for (const host of this.#hosts) {
      const random = this.#around.kernel.random(`metadata ${host.name}`);
      const next = (): void => {
        // Machines that are all switched off for weeks have no software that looks.
        const awayMs = this.#cluster.isAway ? this.#cluster.asleepUntil - this.#around.kernel.now : 0;
        this.#around.kernel.after(awayMs + everyMs * (0.5 + random()), `${host.name} looks for metadata`, () => {
          if (!isSilent()) void this.#pass(host, random).finally(next);
        });
      };
      next();
    }
  }

  /** At which revision a host has applied the metadata of a client system; 0 when it has not. */
  appliedAt = (host: SimulatedHost, fp: string): number => this.#held.get(host)?.memory.revisions?.[fp as Fingerprint] ?? 0;

  async #write(): Promise<void> {
    const fp = await this.#clerk.someSystem();
    if (fp === undefined) return;
    this.#written += 1;
    const kind = oneOf(this.#clerk.random, kinds)!;
    if (kind === 'actions')
      await this.#clerk.ask(contract.appendMetadata, { params: { fp, kind }, body: { entries: [{ n: this.#written }] } });
    else await this.#clerk.ask(contract.putMetadata, { params: { fp, kind }, body: { document: { n: this.#written } } });
  }

  async #remove(): Promise<void> {
    const fp = await this.#clerk.someSystem();
    const kind = oneOf(this.#clerk.random, kinds)!;
    if (fp !== undefined) await this.#clerk.ask(contract.deleteMetadata, { params: { fp, kind } });
  }

  /** As the agent's keeper does, with a hook that always succeeds; now and then the node reports what was set on it. */
  async #pass(host: SimulatedHost, random: Random): Promise<void> {
    const software = host.software();
    const [ledger, list] = [readLedger(host.disk), readList(host.disk)];
    if (!host.isOn || !software || !ledger || !list) return;
    const { api, node: id } = software;
    const of = `${id} ${ledger.generation}`;
    const held = this.#held.get(host);
    let memory: Memory = held?.of === of ? held.memory : { version: 1, verdicts: {}, applied: [] };
    const keep = (next: Memory): void => {
      memory = next;
      this.#held.set(host, { of, memory });
    };
    const here = new Set(list.systems as Fingerprint[]);
    const applied = memory.applied.filter((fp) => here.has(fp));
    try {
      keep(await heardOf(api, id, { ...memory, applied }, { desired: ledger.desired.rev, list }, this.#around.kernel.now));
      for (const fp of here) {
        if (memory.applied.includes(fp) && (memory.wanted?.[fp] ?? 0) <= (memory.revisions?.[fp] ?? 0)) continue;
        const answer = await api(contract.systemMetadata, { params: { id, fp } });
        if (answer.ok) keep(withApplied(memory, fp, answer.body.revision));
      }
      const fp = oneOf(random, list.systems);
      if (fp === undefined || random() > 0.2) return;
      this.#written += 1;
      const body = { generation: ledger.generation, document: { n: this.#written, by: host.name } };
      await api(contract.reportMetadata, { params: { id, fp: Fingerprint.parse(fp), kind: 'groups' }, body });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }
}
