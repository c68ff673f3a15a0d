import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import type { Fingerprint, NodeId } from '../../../lib/core/ids.ts';
import { type EpochMs, hourMs, minuteMs, secondMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import { everySoOften } from '../every-so-often.ts';
import type { Activity } from './activity.ts';
import { Applies, type MetadataHook, type ReadsMetadata } from './applies.ts';
import { verdictsOn } from './ask.ts';
import { SystemsHere } from './here.ts';
import type { KeyFolders, KeyStates, MinionKey, SaltKeys } from './keys.ts';
import type { Minions } from './knock.ts';
import { type Memory, pruned, readMemory, withApplied, withoutUnknown, withVerdicts, writeMemory } from './memory.ts';
import { type Held, heardOf } from './news.ts';
import { actionsDue, isFresh, type KeyAction, questionsDue, type Removal } from './plan.ts';
import { doubting } from './revoked.ts';

/** How often to look at the key folders: as long as a client system waits that was just assigned to this node. */
const everyMs = 10 * secondMs;
/** A minion that the master has not heard for this long is not seen: Uyuni pings each of its systems within 24 h. */
const silentMs = 25 * hourMs;
/**
 * The same for one that belongs elsewhere: the last answer of a minion that has moved may come after it has left the
 * list, and its key stays for hours. Twice as long as it takes to make one knock again that has stayed.
 */
const strangerMs = 30 * minuteMs;

/** The options of a keeper of keys. */
export type KeeperOptions = {
  readonly folder: Folder;
  readonly keys: KeyFolders;
  readonly activity: Activity;
  /** Accepts, rejects and removes keys; undefined: the keeper only looks at them. */
  readonly saltKeys: SaltKeys | undefined;
  readonly removal: Removal;
  /** Applies a client system's metadata on this node; undefined: metadata is not applied. */
  readonly metadataHook: MetadataHook | undefined;
  /** The minute of the day in the host's local time. */
  minute(): number;
  say(line: string): void;
  readonly world: World;
};

/** The parts of the agent that the keeper uses. `node` is undefined while the node is not a member. */
export type SaltAgentView = {
  readonly api: ApiClient;
  node(): NodeId | undefined;
  list(): Held['list'] | undefined;
  /** The revision of the desired state that the agent holds. */
  desired(): number;
  /** The number of the zone's last revocation that a heartbeat's answer named; undefined where there were none. */
  revoked(): number | undefined;
};

/**
 * Keeps a Salt master's keys as Muster decides. It works from the master's folders and Muster's answers, and continues
 * from there after a crash.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #applies: Applies | undefined;
  #memory: Memory;
  #written: string;
  #states: KeyStates | undefined;
  /** The last fault, so that the log has it once. */
  #trouble = '';
  readonly #toldOf = new Set<string>();
  #mayBeKnown = false;
  /** The client systems that are here, for what keeps their metadata. */
  readonly here = new SystemsHere(
    () => this.#memory,
    (next) => {
      this.#memory = next;
    },
  );

  /** A keeper of one master's keys; it does nothing until it is started. */
  constructor(options: KeeperOptions) {
    const { folder, metadataHook: hook, world, say } = options;
    this.#options = options;
    this.#memory = readMemory(folder);
    this.#written = JSON.stringify(this.#memory);
    const applied = (fp: Fingerprint, revision: number) => this.#remember(withApplied(this.#memory, fp, revision));
    this.#applies = hook && new Applies(hook, { world, say, applied });
  }

  /**
   * The client systems that the master has heard lately, by their names on the node's list; undefined before the first
   * look.
   */
  seen(): ReadonlySet<string> | undefined {
    return this.#states && seenBy(this.#states, this.#memory, this.#options.activity, this.#options.world.now());
  }

  /** The minions whose keys the master has accepted; undefined before the first look. */
  minions(): Minions | undefined {
    if (!this.#states) return undefined;
    const { accepted } = this.#states;
    const known = accepted.flatMap(({ id, fp }) => {
      const { fp: name } = this.#memory.verdicts[fp] ?? {};
      return name === undefined ? [] : [[name, id] as const];
    });
    return { ids: new Map(known), isWhole: accepted.every(({ fp }) => this.#memory.verdicts[fp] !== undefined) };
  }

  /** Muster may know keys that it did not know before: the next pass asks about those, however old the answers are. */
  adopted(): void {
    this.#mayBeKnown = true;
  }

  /** Makes a pass at intervals until it is stopped. */
  start(agent: SaltAgentView): { stop(): void } {
    return everySoOften(everyMs, () => this.pass(agent), this.#options.world);
  }

  /** Looks at the keys, asks Muster, and acts. Never rejects for a fault of the master or of the way to Muster. */
  async pass(agent: SaltAgentView): Promise<void> {
    const { say } = this.#options;
    const node = agent.node();
    if (node === undefined) return;
    try {
      await this.#look(agent, node);
      if (this.#trouble !== '') say('the agent manages the keys of the Salt master again');
      this.#trouble = '';
    } catch (error) {
      const why = troubleOf(error);
      if (why !== this.#trouble) say(`${why}; trying again`);
      this.#trouble = why;
    }
  }

  /** Resolves once no metadata is being applied. */
  async idle(): Promise<void> {
    await this.#applies?.idle();
  }

  async #look(around: SaltAgentView, node: NodeId): Promise<void> {
    const { activity, keys, saltKeys, world } = this.#options;
    await activity.look(world.now());
    const states = await keys.read(world.now());
    this.#states = states;
    const list = around.list();
    const names = list && new Set(list.systems);
    if (this.#mayBeKnown) this.#memory = withoutUnknown(this.#memory);
    this.#mayBeKnown = false;
    this.#memory = pruned(this.#memory, states, names, world.now());
    this.#memory = await doubting(around.api, node, this.#memory, around.revoked());
    await this.#ask(around, node, states);
    this.#remember(pruned(this.#memory, states, names, world.now()));
    this.here.look(states, names);
    this.#tellOfDenied(states);
    if (saltKeys) await this.#act(states, saltKeys);
    if (this.#applies && list) await this.#apply(this.#applies, around, { node, states, list });
  }

  async #apply(applies: Applies, { api, desired }: SaltAgentView, { node: id, states, list }: Here): Promise<void> {
    const { world } = this.#options;
    const heard = await heardOf(api, id, this.#memory, { desired: desired(), list }, world.now());
    // The memory has the metadata that was applied meanwhile.
    const { applied, revisions } = this.#memory;
    this.#remember({ ...heard, applied, ...(revisions && { revisions }) });
    applies.offer(states, this.#memory, new Set(list.systems), metadataReader(api, id));
  }

  async #ask({ api }: SaltAgentView, id: NodeId, states: KeyStates): Promise<void> {
    const { world } = this.#options;
    for await (const answers of verdictsOn(api, id, questionsDue(states, this.#memory, world.now())))
      this.#memory = withVerdicts(this.#memory, answers, world.now());
  }

  async #act(states: KeyStates, saltKeys: SaltKeys): Promise<void> {
    const { world, minute, removal, say } = this.#options;
    for (const action of actionsDue(states, this.#memory, world.now(), minute(), removal)) {
      // Those before it may have taken long.
      if (!action.keys.every(({ fp }) => isFresh(this.#memory.verdicts[fp], world.now()))) return;
      for (const line of inWords(action)) say(line);
      if (action.do === 'remove') this.#remember({ ...this.#memory, removedAt: world.now() });
      const ran = await saltKeys[action.do](action.keys.map(({ id }) => id));
      if (!ran.ok) say(`salt-key failed (${ran.why}); trying again`);
      else if (action.do === 'accept') await this.#lookAfter(action.keys, saltKeys);
    }
  }

  /** Removes accepted keys that are not those asked about, because Salt accepts by name only. */
  async #lookAfter(keys: readonly MinionKey[], saltKeys: SaltKeys): Promise<void> {
    const { say, world } = this.#options;
    const after = new Map((await this.#options.keys.read(world.now())).accepted.map(({ id, fp }) => [id, fp]));
    for (const { id } of keys) if (!after.has(id)) say(`${id}: salt-key has accepted no key`);
    const others = keys.filter(({ id, fp }) => after.has(id) && after.get(id) !== fp).map(({ id }) => id);
    if (others.length === 0) return;
    for (const id of others) say(`${id}: salt-key accepted another key than Muster allowed, and the agent removes it`);
    const ran = await saltKeys.remove(others);
    if (!ran.ok) say(`${others.join(' ')}: removing their keys failed: ${ran.why}`);
  }

  #tellOfDenied({ denied }: KeyStates): void {
    for (const { id, fp } of denied) {
      if (this.#toldOf.has(`${id} ${fp}`)) continue;
      this.#toldOf.add(`${id} ${fp}`);
      this.#options.say(`${id}: Salt denies a second key under this name (${fp.slice(0, 16)})`);
    }
  }

  #remember(next: Memory): void {
    this.#memory = next;
    const text = JSON.stringify(next);
    if (text === this.#written) return;
    this.#written = text;
    writeMemory(this.#options.folder, next);
  }
}

/** Minions that were heard within a day; of those that belong elsewhere, the ones heard lately and since they left. */
function seenBy({ accepted }: KeyStates, { verdicts }: Memory, activity: Activity, now: EpochMs): ReadonlySet<string> {
  const seen = accepted.flatMap(({ id, fp, since }) => {
    const { fp: name, verdict, goneAt } = verdicts[fp] ?? {};
    const heardAt = Math.max(activity.last(id) ?? 0, since);
    const after = goneAt === undefined || verdict === 'accept' ? now - silentMs : Math.max(goneAt, now - strangerMs);
    return name !== undefined && heardAt > after ? [name] : [];
  });
  return new Set(seen);
}

type Here = { readonly node: NodeId; readonly states: KeyStates; readonly list: Held['list'] };

/** Reads the documents of one client system from Muster. */
const metadataReader =
  (api: ApiClient, id: NodeId): ReadsMetadata =>
  async (fp) => {
    try {
      const answer = await api(nodeRoutes.systemMetadata, { params: { id, fp } });
      if (!answer.ok) return { ok: false, why: problemTypeOf(answer.problem) };
      const { revision, kinds } = answer.body;
      const metadata = Object.fromEntries(Object.entries(kinds).map(([kind, { document }]) => [kind, document]));
      return { ok: true, handed: { revision, metadata } };
    } catch (error) {
      return { ok: false, why: troubleOf(error) };
    }
  };

function inWords(action: KeyAction): string[] {
  const label = ({ id, fp }: MinionKey): string => `${id} (${fp.slice(0, 16)})`;
  switch (action.do) {
    case 'accept':
      return action.keys.map((key) => `accept the key of ${label(key)}`);
    case 'reject':
      return action.keys.map((key) => `reject the key of ${label(key)}: ${action.why}`);
    case 'remove':
      return [`remove ${action.keys.length} keys of client systems that have moved: ${action.keys.map(({ id }) => id).join(' ')}`];
  }
}

/** The text of a fault of the master, or of the way to Muster; throws any other error again. */
function troubleOf(error: unknown): string {
  if (error instanceof Unreachable || (error instanceof Error && 'syscall' in error)) return error.message;
  throw error;
}
