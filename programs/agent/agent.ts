import type { HostFacts, Load } from '../../events/reported/node.ts';
import type { ApiClient } from '../../lib/api/client.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { Ran } from '../../lib/machine/command.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { react, type World } from '../../lib/machine/reactor.ts';
import type { AdoptionWanted } from './adoption/wanted.ts';
import { AskedBearing, type BearingSource } from './bearing.ts';
import { type Calling, call, type Self } from './calls.ts';
import type { Contact } from './contact.ts';
import { type Action, decide } from './decide.ts';
import type { Input } from './hear.ts';
import { type ServiceKeepers, Workloads } from './kept.ts';
import { LiveLedger } from './kept-ledger.ts';
import { type Ledger, readLeaving, readList, type SystemsList, writeList } from './ledger.ts';
import type { ProcessKeeper } from './processes/keeper.ts';
import { Rotation } from './rotation.ts';
import type { SaltAgentView } from './salt/keeper.ts';
import { type Signs, signsBy } from './signed-calls.ts';
import { type AgentState, firstState, rememberedOf } from './state.ts';
import type { SiteCoordinator } from './station/coordinator.ts';
import type { StationKeeper } from './station/keeper.ts';
import { Strangers } from './strangers.ts';
import { digestBits, mergedList, releasedBy, unlisted } from './systems.ts';
import type { Traces } from './traces.ts';
import type { ActionKeeper } from './uyuni/actions/keeper.ts';
import type { SeatHere } from './uyuni/cluster-mode/seat.ts';
import type { ContentWanted } from './uyuni/content/wanted.ts';
import type { AgentView } from './view.ts';

export type AgentOptions = {
  /** Makes the client of Muster, which signs its calls with `signs`. */
  connect(signs: Signs): ApiClient;
  readonly self: Self;
  readonly folder: Folder;
  readonly ledger: Ledger;
  /** The join token, if the host was given one. */
  readonly token?: () => string | undefined;
  facts(): HostFacts;
  /** How busy the host is, with this number of client systems seen. */
  load(systems: number): Load;
  /** The fingerprints of the client systems that the node's software sees; undefined without a source for them. */
  seen(): ReadonlySet<string> | undefined;
  /** Starts work that runs beside the agent until it stops, such as watching which client systems the node sees. */
  readonly beside?: ((agent: SaltAgentView & AgentView) => { stop(): void }) | undefined;
  /** Keeps the processes of a storage cluster's host. */
  readonly processes?: ProcessKeeper | undefined;
  /** Looks for the other nodes where this one is a station of its zone. */
  readonly station?: StationKeeper | undefined;
  /** Acts on site where this node is the coordinator. */
  readonly coordinator?: SiteCoordinator | undefined;
  /** Knows when Muster answered last, for the work that continues while Muster is unreachable. */
  readonly contact?: Contact | undefined;
  /** Writes traces of parts of the agent, as Muster's desired state asks for them. */
  readonly traces?: Traces | undefined;
  /** Takes whether this host is the seat of its zone. */
  readonly seat?: Pick<SeatHere, 'askedAt' | 'desired'> | undefined;
  /** Takes the order about the common content of its server. */
  readonly content?: Pick<ContentWanted, 'desired'> | undefined;
  /** Takes the order to offer the systems of this host for adoption. */
  readonly adoption?: AdoptionWanted | undefined;
  /** Takes the orders to act on client systems. */
  readonly actions?: Pick<ActionKeeper, 'desired'> | undefined;
  /** Keeps services, which a host of any kind may have. */
  readonly services?: ServiceKeepers | undefined;
  /** Measures how the node bears the client systems that it accepts; undefined where its software is not measured. */
  readonly bearing?: BearingSource | undefined;
  /** Makes these client systems knock now; undefined when there is no such hook. */
  readonly releaseHook: ((fps: readonly string[]) => Promise<Ran>) | undefined;
  say(line: string): void;
  /** Called once this host is a node: at the start where it was one before, otherwise when it has joined. */
  readonly joined?: (() => void) | undefined;
  /** Called when Muster no longer has a place for this node; `planned` when the node had announced that it leaves. */
  ended(planned: boolean): void;
  newId(): string;
  /** 16 to 64 letters, digits, `_` or `-`, unguessable, new for each call. */
  newNonce(): string;
  /** The age of its key at which the agent replaces it; undefined: only when an operator asks for it. */
  readonly rotateEveryMs?: number | undefined;
  /** Makes the next key; a random one unless given. */
  readonly newKeys?: () => KeyPair;
  readonly world: World;
};

/** A node agent at work. The node does not leave when its agent stops: a reboot moves no client system. */
export type Agent = { stop(): void; state(): AgentState };

/** Starts the node agent: it joins if it has not yet, reports its boot, and then renews the lease of its node. */
export function startAgent(options: AgentOptions): Agent {
  const { folder, world } = options;
  const ending = new AbortController();
  const { ledger } = options;
  const running = new Workloads(options);
  const live = new LiveLedger(folder, { ...ledgerFor(ledger, running), boot: options.self.boot, keySince: ledger.keySince ?? world.now() });
  const shell = shellOf(options, live, running, ending.signal);
  const tellJoined = onceJoined(options.joined);
  const reactor = react<AgentState, Input, Action>(
    firstState(live.ledger, shell.list(), world.now()),
    {
      decide,
      tick: { type: 'tick' },
      carry: (action, next) => carry(action, next, shell, options),
      changed: (next) => {
        const { node: _node, zone: _zone, flushed: _flushed, ...own } = live.ledger;
        live.replace({ ...own, ...rememberedOf(next) });
        tellJoined(next.node);
      },
    },
    world,
  );
  tellJoined(live.ledger.node);
  reactor.take({ type: 'tick' });
  const node = () => (reactor.state().phase === 'member' ? reactor.state().node : undefined);
  const { api } = shell.calling;
  const beside = options.beside?.({
    api,
    node,
    member: () => memberOf(reactor.state()),
    list: shell.list,
    desired: () => reactor.state().desired.rev,
    revoked: () => reactor.state().revoked,
  });
  const keeping = running.start({ api, member: () => memberOf(reactor.state()) });
  return {
    state: reactor.state,
    stop: () => {
      beside?.stop();
      keeping.stop();
      options.station?.stop();
      reactor.stop();
      ending.abort();
    },
  };
}

/** Takes the node of the host whenever that is known, and calls `joined` the first time that there is one. */
function onceJoined(joined: AgentOptions['joined']): (node: string | undefined) => void {
  let isNode = false;
  return (node) => {
    if (isNode || node === undefined) return;
    isNode = true;
    joined?.();
  };
}

/** An agent that never received what to run reads the desired state, whatever revision the ledger holds. */
const ledgerFor = (ledger: Ledger, { isNew }: Workloads): Ledger =>
  isNew ? { ...ledger, desired: { ...ledger.desired, rev: 0 } } : ledger;

const memberOf = ({ phase, node, incarnation, generation }: AgentState) =>
  phase === 'member' && node !== undefined ? { node, incarnation, generation } : undefined;

/** The parts that the calls need, and the list of client systems, which is too large to be part of the state. */
type AgentShell = {
  readonly calling: Calling;
  list(): SystemsList | undefined;
  forgetList(): void;
  readonly strangers: Strangers;
  readonly rotation: Rotation;
};

function shellOf(options: AgentOptions, live: LiveLedger, running: Workloads, signal: AbortSignal): AgentShell {
  const { self, folder, token, facts, load, seen, say, newId, world } = options;
  const api = options.connect(signsBy(live, { now: world.now, newNonce: options.newNonce }));
  let list = readList(folder);
  let seenNow = seen();
  const keepList = (next: SystemsList | undefined) => {
    list = next;
    writeList(folder, next);
  };
  const calling: Calling = {
    api,
    self,
    signal,
    publicKey: () => live.pair.publicKey,
    token: token ?? (() => undefined),
    facts,
    load: () => load(seenNow?.size ?? 0),
    digest: () => {
      seenNow = seen();
      if (!list || !seenNow) return undefined;
      return {
        digest: { listVersion: list.version, bits: digestBits(list.systems, seenNow) },
        unlisted: unlisted(list.systems, seenNow).length > 0,
      };
    },
    takeList: ({ since, version, mapVersion, ...answer }) => {
      // Changes since a version that was flushed meanwhile do not apply to the present list.
      if (!answer.whole && list?.version !== since) return undefined;
      const systems = mergedList(list?.systems ?? [], answer);
      keepList({ version, mapVersion, systems });
      return systems.length;
    },
    workloads: running,
    station: options.station,
    coordinator: options.coordinator,
    contact: options.contact,
    bearing: options.bearing && new AskedBearing(options.bearing),
    traces: options.traces,
    seat: options.seat,
    adoption: options.adoption,
    content: options.content,
    actions: options.actions,
    newId,
    now: world.now,
    random: world.random,
  };
  const { rotateEveryMs: everyMs, newKeys } = options;
  const rotation = new Rotation({ live, folder, api, everyMs, signal, now: world.now, say, ...(newKeys && { newKeys }) });
  return { calling, list: () => list, forgetList: () => keepList(undefined), strangers: new Strangers(), rotation };
}

async function carry(action: Action, next: AgentState, shell: AgentShell, options: AgentOptions): Promise<Input | undefined> {
  switch (action.do) {
    case 'release':
      return release(action, shell, options);
    case 'make-knock':
      await makeKnock(action, shell, options);
      return undefined;
    case 'flush':
      shell.forgetList();
      return undefined;
    case 'say':
      options.say(action.line);
      return undefined;
    case 'end':
      options.ended(readLeaving(options.folder, next) === 'drain');
      return undefined;
    case 'up':
    case 'heartbeat': {
      const signedBy = shell.calling.publicKey();
      const heard = await call(action, next.node, shell.calling);
      if (next.node !== undefined) await shell.rotation.after(heard, next.node, signedBy);
      return heard;
    }
    default:
      return call(action, next.node, shell.calling);
  }
}

/** Makes client systems knock that are seen here or were on the list, and whose slot the node has lost. */
async function release(
  { orders, mapVersion }: Extract<Action, { do: 'release' }>,
  shell: AgentShell,
  { seen, releaseHook }: AgentOptions,
): Promise<Input> {
  const fps = releasedBy(orders, [...(shell.list()?.systems ?? []), ...(seen() ?? [])]);
  const ran = fps.length > 0 && releaseHook ? await releaseHook(fps) : ({ ok: true } as const);
  if (!ran.ok) return { type: 'release-failed', mapVersion, why: ran.why };
  return { type: 'released', mapVersion, systems: fps.length, knocking: releaseHook !== undefined };
}

/**
 * Makes client systems knock that do not belong here, or that were sent here under an earlier membership of the node.
 * The hook runs once at a time.
 */
async function makeKnock(
  { everyone }: Extract<Action, { do: 'make-knock' }>,
  { list, strangers }: AgentShell,
  { seen, releaseHook, say, world }: AgentOptions,
): Promise<void> {
  await strangers.inTurn(async () => {
    const [held, all] = [list(), seen()];
    if (!held || !all || !releaseHook) return;
    const fps = strangers.toMakeKnock(held, all, { everyone, now: world.now() });
    if (fps.length === 0) return;
    const ran = await releaseHook(fps);
    if (ran.ok) strangers.madeToKnock(fps, world.now());
    say(
      ran.ok
        ? `made ${fps.length} client systems knock`
        : `the release hook failed (${ran.why}) for ${fps.length} client systems that must knock`,
    );
  });
}
