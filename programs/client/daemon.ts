import type { ApiClient } from '../../lib/api/client.ts';
import type { Fqdn } from '../../lib/core/ids.ts';
import { unreachable } from '../../lib/core/time.ts';
import type { Ran } from '../../lib/machine/command.ts';
import { react, type World } from '../../lib/machine/reactor.ts';
import { call, type Machine } from './calls.ts';
import { type Action, decide } from './decide.ts';
import type { Input } from './hear.ts';
import { type ClientRecord, type ClientState, firstState, recordOf, type Watch } from './state.ts';

/**
 * The driver of the software that reports to a node. `start` brings it up for a node and `stop` stops it; the daemon
 * may call either again after it has succeeded.
 */
export type Driver = {
  start(fqdn: Fqdn): Promise<Ran>;
  stop(): Promise<Ran>;
  /**
   * Whether what was started is still up, and why not; undefined when that cannot be seen now. Absent from a driver
   * that can never tell.
   */
  isUp?(): Promise<Ran | undefined>;
};

export type DaemonOptions = {
  readonly api: ApiClient;
  readonly machine: Machine;
  readonly driver: Driver;
  /** The record that an earlier daemon of this machine stored. */
  readonly record: ClientRecord;
  /** The node for which something runs here already, although no daemon has started it. */
  readonly found?: Fqdn | undefined;
  /** Stores the record for the next daemon. Called when it has changed, before the daemon acts on the change. */
  keep(record: ClientRecord): void;
  /** Whether the node accepts a connection. */
  isHeard(watch: Watch): Promise<boolean>;
  say(line: string): void;
  /** Called once the machine is banned and everything that it drove is stopped. */
  ended(): void;
  readonly world: World;
};

/**
 * A running client daemon. Stopping it leaves what it drives as it is: a restart of the daemon must not move the
 * machine.
 */
export type Daemon = { stop(): void; knockNow(): void; state(): ClientState };

/** Starts one client daemon; hundreds fit in a process, as they share nothing. */
export function startDaemon(options: DaemonOptions): Daemon {
  const { record, found, keep, world } = options;
  const ending = new AbortController();
  let written = JSON.stringify(record);
  const reactor = react<ClientState, Input, Action>(
    firstState(record, world.now(), found, options.driver.isUp !== undefined),
    {
      decide,
      tick: { type: 'tick' },
      carry: (action, next) => carry(action, next, options, ending.signal),
      changed: (next) => {
        const text = JSON.stringify(recordOf(next));
        if (text === written) return;
        written = text;
        keep(recordOf(next));
      },
    },
    world,
  );
  reactor.take({ type: 'tick' });
  return {
    state: reactor.state,
    knockNow: () => reactor.take({ type: 'knock-now' }),
    stop: () => {
      reactor.stop();
      ending.abort();
    },
  };
}

async function carry(
  action: Action,
  { phase }: ClientState,
  { api, machine, driver, isHeard, say, ended, world }: DaemonOptions,
  signal: AbortSignal,
): Promise<Input | undefined> {
  switch (action.do) {
    case 'knock':
    case 'status':
    case 'orphan':
      return call(action, { api, machine, isNew: phase === 'unheard' || phase === 'new', signal, random: world.random });
    case 'start':
      return { type: 'driven', ...(await driver.start(action.fqdn)), random: world.random() };
    case 'stop':
      return { type: 'driven', ...(await driver.stop()), random: world.random() };
    case 'look':
      return { type: 'looked', fqdn: action.fqdn, ran: await driver.isUp?.(), random: world.random() };
    case 'watch':
      return { type: 'watched', fqdn: action.fqdn, ok: await isHeard(action.watch), random: world.random() };
    case 'say':
      say(action.line);
      return undefined;
    case 'end':
      ended();
      return undefined;
    default:
      return unreachable(action);
  }
}
