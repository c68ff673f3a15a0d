import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fingerprint } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { SystemsHere } from '../../programs/agent/salt/here.ts';
import { type Memory, withApplied } from '../../programs/agent/salt/memory.ts';
import { accountIn } from '../../programs/agent/uyuni/api/account.ts';
import { type ServerApi, serverApi } from '../../programs/agent/uyuni/api/server-api.ts';
import { MetadataKeeper } from '../../programs/agent/uyuni/metadata/keeper.ts';
import type { Held, MusterSide, Taken } from '../../programs/agent/uyuni/metadata/muster-side.ts';
import { administrator } from '../../tools/support/uyuni/played-server.ts';

/** The name of a client system by that of its minion. */
export const fpOf = (minion: string): Fingerprint => Buffer.from(minion).toString('hex').slice(0, 64).padEnd(64, '0') as Fingerprint;

type Kinds = Record<string, { revision: number; document: unknown }>;

/** Muster, as far as a keeper of metadata sees it, with the calls that were made. */
export class PlayedMuster implements MusterSide {
  readonly systems = new Map<string, { revision: number; kinds: Kinds }>();
  readonly calls: string[] = [];
  /** What the next calls are answered with, in place of what they do. */
  readonly answers: Taken[] = [];

  /** Somebody else puts a document. */
  set(fp: Fingerprint, kind: string, document: unknown): void {
    const system = this.#of(fp);
    if (JSON.stringify(system.kinds[kind]?.document) === JSON.stringify(document)) return;
    system.revision += 1;
    system.kinds[kind] = { revision: system.revision, document };
  }

  documents = (fp: Fingerprint): Record<string, unknown> =>
    Object.fromEntries(Object.entries(this.#of(fp).kinds).map(([kind, { document }]) => [kind, document]));

  async read(fp: Fingerprint): Promise<Held> {
    this.calls.push('read');
    return structuredClone(this.#of(fp));
  }

  async put(fp: Fingerprint, kind: string, document: unknown): Promise<Taken> {
    this.calls.push(`put ${kind}`);
    const answer = this.answers.shift();
    if (answer) return answer;
    this.set(fp, kind, document);
    return { is: 'taken', revision: this.#of(fp).kinds[kind]?.revision ?? 0 };
  }

  async append(fp: Fingerprint, kind: string, { entries }: { readonly entries: readonly unknown[] }): Promise<Taken> {
    this.calls.push(`append ${entries.length} to ${kind}`);
    const before = this.#of(fp).kinds[kind]?.document;
    this.set(fp, kind, [...(Array.isArray(before) ? before : []), ...entries]);
    return { is: 'taken', revision: this.#of(fp).revision };
  }

  #of(fp: Fingerprint): { revision: number; kinds: Kinds } {
    const known = this.systems.get(fp) ?? { revision: 0, kinds: {} };
    this.systems.set(fp, known);
    return known;
  }
}

/** A keeper of metadata on a server, with what it works on, and a clock that a test sets. */
export class KeptSite {
  readonly home: string;
  readonly lines: string[] = [];
  readonly muster = new PlayedMuster();
  readonly here: SystemsHere;
  readonly server: ServerApi;
  readonly world: World;
  keeper: MetadataKeeper;
  nowMs = Date.now();
  #memory: Memory = { version: 1, verdicts: {}, applied: [] };

  constructor(home: string, address: string) {
    this.home = home;
    this.account({ ...administrator, address });
    this.world = {
      now: () => this.nowMs as EpochMs,
      after: (_ms, then) => {
        const timer = setImmediate(then);
        return () => clearImmediate(timer);
      },
      random: () => 0.5,
    };
    const fetching = fetch;
    const account = () => accountIn(this.#file());
    this.server = serverApi({ account, fetching, limit: () => AbortSignal.timeout(1_000), world: this.world, say: this.#say });
    this.here = new SystemsHere(
      () => this.#memory,
      (next) => {
        this.#memory = next;
      },
    );
    this.keeper = this.restarted();
  }

  #file = (): string => join(this.home, 'account.json');
  #say = (line: string): void => void this.lines.push(line);

  account(content: object, mode = 0o600): void {
    folderAt(this.home).remove('account.json');
    writeFileSync(this.#file(), JSON.stringify(content), { mode });
  }

  /** The keeper of an agent that has started again, which has on disk what the one before had written. */
  restarted(): MetadataKeeper {
    this.keeper = new MetadataKeeper({
      ...{ folder: folderAt(this.home), server: this.server, node: 'node1.acme.test', world: this.world, say: this.#say },
    });
    return this.keeper;
  }

  /** These are client systems of this node. */
  hasHere(...minions: readonly string[]): void {
    const accepted = minions.map((id) => ({ id, fp: fpOf(id), since: 0 as EpochMs }));
    const verdicts = Object.fromEntries(
      minions.map((id) => [fpOf(id), { verdict: 'accept', fp: fpOf(id), askedAt: 0 as EpochMs } as const]),
    );
    this.#memory = { ...this.#memory, verdicts };
    this.here.look({ accepted, pending: [], rejected: [], denied: [] }, new Set(minions.map(fpOf)));
  }

  /** What a keeper of keys does about a client system that came or has newer metadata. */
  async apply(minion: string) {
    const fp = fpOf(minion);
    const { revision } = await this.muster.read(fp);
    const ran = await this.keeper.apply({ fingerprint: fp, minion, revision, metadata: this.muster.documents(fp) });
    if (ran.ok) this.#memory = withApplied(this.#memory, fp, revision);
    return ran;
  }

  /** Something of a system has changed on the server, and what is due is reported. Gives the calls of Muster. */
  async reportsOf(...minions: readonly string[]): Promise<string[]> {
    this.keeper.changed([{ kind: 'system', things: minions.map((minion, n) => [n, minion]) }]);
    return this.pass();
  }

  async pass(): Promise<string[]> {
    const from = this.muster.calls.length;
    await this.keeper.pass(this.here, this.muster);
    return this.muster.calls.slice(from);
  }
}
