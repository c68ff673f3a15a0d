import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { minuteMs, secondMs } from '../../lib/core/time.ts';
import { outputOf, type Ran, runCommand } from '../../lib/machine/command.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { orNothing } from '../../lib/machine/os-name.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { everySoOften } from './every-so-often.ts';
import type { AgentOptionsGiven } from './options.ts';
import { Activity } from './salt/activity.ts';
import { eventBus } from './salt/events.ts';
import { Keeper, type SaltAgentView } from './salt/keeper.ts';
import { KeyFolders, saltKey } from './salt/keys.ts';
import { jobBySalt, knockBy } from './salt/knock.ts';
import { seenIn } from './systems.ts';
import { type Doing, usualActions } from './uyuni/actions/allowed.ts';
import { ActionKeeper } from './uyuni/actions/keeper.ts';
import { actionsBy } from './uyuni/actions/muster-side.ts';
import { accountIn } from './uyuni/api/account.ts';
import { serverApi } from './uyuni/api/server-api.ts';
import { passing } from './uyuni/cluster-mode/passing.ts';
import type { ChangeListener } from './uyuni/feed.ts';
import { MetadataKeeper } from './uyuni/metadata/keeper.ts';
import { musterBy } from './uyuni/metadata/muster-side.ts';
import type { AgentView } from './view.ts';

/** Where the agent learns which client systems are here: `file:PATH`, `command:COMMAND` or `salt-master:ROOT`. */
export const WatchSource = z
  .string()
  .regex(/^(file|command|salt-master):./s, 'file:PATH, command:COMMAND or salt-master:ROOT')
  .transform((text) => {
    const colon = text.indexOf(':');
    return { by: text.slice(0, colon) as 'file' | 'command' | 'salt-master', what: text.slice(colon + 1) };
  });
export type WatchSource = z.infer<typeof WatchSource>;

/** `22:00-05:00` as minutes of the day. */
export const DayWindow = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 22:00-05:00')
  .transform((text) => {
    const [from, to] = text.split('-').map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
    return { from: from!, to: to! };
  });
export type DayWindow = z.infer<typeof DayWindow>;

/** The hours in which hardly anyone uses the machines. */
const quiet: DayWindow = { from: 60, to: 5 * 60 };

/** The reason why these options do not fit together, for the operator; undefined when they do. */
export function faultOfSource(options: AgentOptionsGiven): string | undefined {
  const {
    watchSource,
    manageKeys,
    saltKey,
    saltEvents,
    metadataHook,
    uyuniAccount,
    allowActions,
    manageContent,
    salt,
    knockCommand,
    releaseHook,
  } = options;
  const given = {
    ...{ '--manage-keys': manageKeys, '--salt-key': saltKey, '--salt-events': saltEvents },
    ...{ '--metadata-hook': metadataHook, '--uyuni-account': uyuniAccount },
    ...{ '--salt': salt, '--knock-command': knockCommand },
    [`--release-hook ${saltHook}`]: releaseHook === saltHook || undefined,
  };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (watchSource?.by !== 'salt-master') return flag && `${flag} needs --watch-source salt-master:ROOT`;
  if (manageKeys && saltKey === undefined && watchSource.what !== '/')
    return `--watch-source salt-master:${watchSource.what} and --manage-keys need --salt-key <command>: salt-key manages the keys of this host`;
  if (allowActions !== undefined && uyuniAccount === undefined) return '--allow-actions needs --uyuni-account <file>: its server is asked';
  if (manageContent && uyuniAccount === undefined) return '--manage-content needs --uyuni-account <file>: its server is asked';
  if (metadataHook !== undefined && uyuniAccount !== undefined)
    return '--metadata-hook and --uyuni-account both apply metadata: give one of them';
  if (releaseHook === saltHook && salt === undefined && watchSource.what !== '/')
    return `--watch-source salt-master:${watchSource.what} and --release-hook ${saltHook} need --salt <command>: salt reaches the minions of this host`;
  return undefined;
}

/** A log text about an option that does less than expected; undefined when there is none. */
export const cautionOfSource = ({ releaseHook, watchSource, systemsSeen }: AgentOptionsGiven): string | undefined =>
  releaseHook === undefined || watchSource !== undefined || systemsSeen !== undefined
    ? undefined
    : 'the release hook needs --watch-source: without it the agent sends no digest, its list of client systems becomes outdated, and newer client systems are not made to knock';

/**
 * A source at work. `seen` gives the fingerprints of the client systems that are here, undefined when it cannot tell;
 * `start` starts its work beside the agent.
 */
export type Watching = {
  seen(): ReadonlySet<string> | undefined;
  start?(agent: SaltAgentView & AgentView): { stop(): void };
  /** What works with the changes of the Uyuni server on this host. */
  readonly listener?: ChangeListener | undefined;
  /** Carries out actions on client systems; only a Uyuni server with an account does. */
  readonly actions?: ActionKeeper | undefined;
  /** Called when systems of this host were adopted: Muster knows keys that it did not know before. */
  adopted?(): void;
  /** Makes client systems knock through their minions; only a Salt master has some. */
  knock?(fps: readonly string[]): Promise<Ran>;
};

/**
 * How often the command runs, so that each digest, with every sixth heartbeat, has a reading that is not much older.
 */
const lookEveryMs = 30 * secondMs;

/** The release hook that reaches client systems through their minions. */
const saltHook = 'salt';

/** Makes the daemon of a machine knock, as docs/client.md installs it. */
const signalsDaemon = 'systemctl kill --kill-who=main --signal=HUP muster-client.service';

type Env = {
  readonly folder: Folder;
  readonly world: World;
  minute(): number;
  say(line: string): void;
  /** The name of this node. */
  readonly node: string;
  /** A signal that aborts after so many ms. */
  limit(ms: number): AbortSignal;
};

/** The source that the options name; without one it is unknown which client systems are here. */
export function watchingOf(given: AgentOptionsGiven, env: Env): Watching {
  const source = given.watchSource ?? (given.systemsSeen === undefined ? undefined : ({ by: 'file', what: given.systemsSeen } as const));
  switch (source?.by) {
    case undefined:
      return { seen: () => undefined };
    case 'file':
      return { seen: () => seenIn(orNothing(() => readFileSync(source.what, 'utf8'))) };
    case 'command':
      return byCommand(source.what, env);
    case 'salt-master':
      return bySaltMaster(source.what, given, env);
  }
}

/** A command that prints the fingerprints, one a line. While it fails it is unknown which client systems are here. */
export function byCommand(line: string, { world, say }: Pick<Env, 'world' | 'say'>): Watching {
  let seen: ReadonlySet<string> | undefined;
  let why = '';
  const look = async () => {
    const ran = await outputOf(line, { limitMs: minuteMs });
    seen = ran.ok ? seenIn(ran.text) : undefined;
    if (!ran.ok && ran.why !== why) say(`the command of --watch-source failed (${ran.why}); the agent sends no digest until it succeeds`);
    why = ran.ok ? '' : ran.why;
  };
  return { seen: () => seen, start: () => everySoOften(lookEveryMs, look, world) };
}

function bySaltMaster(root: string, given: AgentOptionsGiven, env: Env): Watching {
  const { folder, world, minute, say } = env;
  const {
    manageKeys,
    saltKey: program = 'salt-key',
    saltEvents,
    salt = 'salt',
    knockCommand = signalsDaemon,
    metadataHook: hook,
    uyuniAccount,
    allowActions = usualActions,
    unregisterWindow: window = quiet,
    unregisterBatch: batch = 100,
  } = given;
  const activity = new Activity(root);
  const { metadata, actions } = uyuniAccount === undefined ? {} : keepersOfServer(uyuniAccount, allowActions, env);
  const keeper = new Keeper({
    folder,
    keys: new KeyFolders(root),
    activity,
    saltKeys: manageKeys ? saltKey(program) : undefined,
    removal: { window, batch },
    metadataHook: hook === undefined ? metadata?.apply : metadataBy(hook),
    minute,
    say,
    world,
  });
  return {
    seen: () => keeper.seen(),
    listener: metadata,
    actions,
    adopted: () => keeper.adopted(),
    knock: knockBy(
      () => keeper.minions(),
      jobBySalt(salt, knockCommand),
      (ms) => new Promise((resolve) => void world.after(ms, () => resolve())),
    ),
    start: (agent) => {
      const running = [keeper.start(agent)];
      if (metadata) running.push(metadata.start(keeper.here, musterBy(agent)));
      if (actions) running.push(actions.start(keeper.here, actionsBy(agent)));
      if (saltEvents !== undefined) running.push(eventBus(saltEvents, (id) => activity.heard(id, world.now()), say, world));
      return {
        stop: () => {
          for (const { stop } of running) stop();
        },
      };
    },
  };
}

/** What keeps the metadata of client systems on the Uyuni server of this host, with the account in a file, and acts. */
function keepersOfServer(file: string, allows: readonly Doing[], { folder, world, say, node, limit }: Env) {
  const account = () => accountIn(file);
  const server = serverApi({ account, fetching: passing(fetch, folder), limit, world, say });
  const login = (): string | undefined => {
    const found = account();
    return found.ok ? found.account.login : undefined;
  };
  return {
    metadata: new MetadataKeeper({ folder, server, node, world, say }),
    actions: new ActionKeeper({ folder, server, login, allows, world, say }),
  };
}

/** Runs a command with an object as one line of JSON on its input. */
const metadataBy = (command: string) => (handed: object) =>
  runCommand(command, [], { input: `${JSON.stringify(handed)}\n`, limitMs: minuteMs });

/** How long a release hook may take before it is killed and counts as failed. */
const hookLimitMs = minuteMs;

/** What makes client systems knock: a command with their fingerprints on its input, or their minions. */
export function releaseHookOf(
  { releaseHook }: AgentOptionsGiven,
  { knock }: Watching,
): ((fps: readonly string[]) => Promise<Ran>) | undefined {
  if (releaseHook === undefined) return undefined;
  if (releaseHook === saltHook) return knock;
  return (fps) => runCommand(releaseHook, [], { input: `${fps.join('\n')}\n`, limitMs: hookLimitMs });
}
