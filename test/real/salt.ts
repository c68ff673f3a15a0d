import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { run, start } from '../../tools/check-deploy/processes.ts';
import { Unavailable } from '../../tools/check-deploy/python.ts';

/** Where the programs of Salt are, and what they share: a folder for everything, names, and ports. */
export type Salt = {
  readonly bin: string;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ports: { readonly publish: number; readonly returns: number };
};

/** A master: real processes below a root of its own. */
export type Master = {
  readonly fqdn: string;
  readonly root: string;
  /** Command lines, for the agent. */
  readonly salt: string;
  readonly saltKey: string;
  /** The minion ids in a folder of keys. */
  keys(state: 'minions' | 'minions_pre' | 'minions_rejected'): readonly string[];
  /** Whether a minion answers this master. */
  pings(id: string): Promise<boolean>;
  readonly process: ChildProcess;
};

/** Addresses of the masters: all of 127/8 is this machine on Linux, so that both can have the same ports. */
const addresses = { 'node1.acme.test': '127.0.0.2', 'node2.acme.test': '127.0.0.3', 'node3.acme.test': '127.0.0.4' } as const;
export const fqdns = ['node1.acme.test', 'node2.acme.test', 'node3.acme.test'] as const;

/** Salt below a root, by the programs in a folder. Throws {@link Unavailable} where loopback has one address alone. */
export async function saltIn(bin: string, root: string): Promise<Salt> {
  const names = Object.entries(addresses).map((pair) => pair.join('='));
  const env = { ...process.env, PYTHONPATH: join(import.meta.dirname, 'names'), MUSTER_REAL_NAMES: names.join(',') };
  return { bin, root, env, ports: { publish: await freePort(), returns: await freePort() } };
}

/** A port that is free at the addresses of all masters. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < 20; tries++) {
    const port = await portAt(addresses['node1.acme.test'], 0);
    if (port === undefined) continue;
    const taken = await Promise.all(Object.values(addresses).map((address) => portAt(address, port)));
    if (!taken.includes(undefined)) return port;
  }
  throw new Unavailable(`nothing can listen at ${Object.values(addresses).join(' and ')}`);
}

/** Listens for a moment at a port, any where it is 0; undefined where that cannot be. */
const portAt = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });

/** Writes a file below a root, whose folders it makes. */
export function put(root: string, file: string, text: string, mode = 0o644): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** Starts the master of a node. */
export function startMaster({ bin, root: all, env, ports }: Salt, fqdn: (typeof fqdns)[number]): Master {
  const root = join(all, fqdn);
  const lines = [
    `root_dir: ${root}`,
    `user: ${userInfo().username}`,
    `interface: ${addresses[fqdn]}`,
    `publish_port: ${ports.publish}`,
    `ret_port: ${ports.returns}`,
    'worker_threads: 2',
  ];
  put(root, 'etc/salt/master', `${lines.join('\n')}\n`);
  const config = join(root, 'etc/salt');
  const command = (name: string) => `'${join(bin, name)}' --config-dir '${config}'`;
  const options = { env, cwd: root, log: join(root, 'output') };
  return {
    fqdn,
    root,
    salt: command('salt'),
    saltKey: command('salt-key'),
    keys: (state) => namesIn(join(root, 'etc/salt/pki/master', state)),
    pings: async (id) => {
      const args = ['--config-dir', config, '--timeout', '3', '--out', 'json', id, 'test.ping'];
      return (await run(join(bin, 'salt'), args, { env, cwd: root })).output.includes('true');
    },
    process: start(join(bin, 'salt-master'), ['--config-dir', config], options),
  };
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

/** A machine with a minion that has been a system of another server. */
export type Machine = {
  readonly root: string;
  readonly systemctl: string;
  /** What Uyuni left in its configuration, by the master that it names. */
  configFor(master: string): string;
  config(): string;
  /** The process of its minion; undefined while there is none. */
  minion(): number | undefined;
  stop(): Promise<void>;
};

const configFile = 'etc/salt/minion.d/susemanager.conf';
const configFor = (master: string): string => `# This file was generated by Uyuni
master: ${master}   # by the bootstrap script
server_id_use_crc: adler32
enable_legacy_startup_events: False
enable_fqdns_grains: False

grains:
  susemanager:
    activation_key: "1-web"
mine_enabled: False
`;

/** A machine of this name, whose minion does not run yet. */
export function aMachine({ bin, root: all, env, ports }: Salt, fqdn: string): Machine {
  const root = join(all, fqdn);
  const lines = [
    `root_dir: ${root}`,
    `user: ${userInfo().username}`,
    `master_port: ${ports.returns}`,
    `publish_port: ${ports.publish}`,
    'acceptance_wait_time: 2',
  ];
  put(root, 'etc/salt/minion', `${lines.join('\n')}\n`);
  put(root, 'etc/salt/minion_id', fqdn);
  put(root, configFile, configFor('uyuni.acme.test'), 0o640);
  put(root, 'usr/lib/systemd/system/salt-minion.service', '[Service]\n');
  const systemctl = put(root, 'systemctl', systemctlScript(root, join(bin, 'salt-minion')), 0o755);
  const pidFile = join(root, 'minion.pid');
  return {
    root,
    systemctl,
    configFor,
    config: () => readFileSync(join(root, configFile), 'utf8'),
    minion: () => {
      const pid = namesIn(root).includes('minion.pid') ? Number(readFileSync(pidFile, 'utf8')) : undefined;
      return pid !== undefined && isAlive(pid) ? pid : undefined;
    },
    stop: async () => void (await run(systemctl, ['stop', 'salt-minion.service'], { env, cwd: root })),
  };
}

/** Whether a process runs; one that has ended and is not reaped does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return false;
    throw error;
  }
}

/** A program in place of systemctl for the one minion below a root, which it starts in a session of its own. */
const systemctlScript = (root: string, minion: string): string => `#!/bin/sh
cd '${root}' || exit 1
pid=$(cat minion.pid 2>/dev/null)
runs() { [ -n "$pid" ] && [ -e "/proc/$pid" ] && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null; }
case $1 in
  is-active) runs && { echo active; exit 0; }; echo inactive; exit 3 ;;
  # Where nothing reaps processes, Salt would take one that has ended for another minion.
  start) runs || { rm -f var/run/*.pid; setsid '${minion}' --config-dir '${root}/etc/salt' >> output 2>&1 < /dev/null & echo $! > minion.pid; } ;;
  stop)
    runs && kill "$pid"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do runs || break; sleep 0.25; done
    [ -n "$pid" ] && kill -9 -- "-$pid" 2>/dev/null
    rm -f minion.pid ;;
esac
exit 0
`;
