import { spawn, spawnSync } from 'node:child_process';

/** Set when this process is in a network namespace of its own, which was made for it. */
const variable = 'MUSTER_DEMO_NAMESPACE';

/** Becomes root within namespaces of its own, which any user may do where the kernel is configured for it. */
const unshare = ['unshare', '--map-root-user', '--net', '--'] as const;

/** A trial of what the hosts need: networks, and a namespace in which another ends. */
const tried = `
set -e
ip link add tried type bridge
unshare --net sleep 5 &
trap "kill $!" EXIT
sleep 0.2
ip link add tried0 type veth peer name inside netns $!
ip link set tried0 master tried up
nsenter --net=/proc/$!/ns/net ip link set inside up
`;

/** Whether this process is one of those that were started in a namespace. */
export const isInNamespace = (): boolean => process.env[variable] === 'on';

/** The reason why this machine does not allow network namespaces to this user, in words; undefined where it does. */
export function whyNoNamespaces(): string | undefined {
  const { error, status, stderr } = spawnSync(unshare[0], [...unshare.slice(1), 'sh', '-c', tried], { encoding: 'utf8' });
  if (error) return `${unshare[0]} cannot be run: ${error.message}`;
  return status === 0 ? undefined : stderr.trim().split('\n').at(-1) || `it ended with ${status}`;
}

/**
 * Plays this same program, with the same words, in a network namespace of its own; gives its exit code. Signals are
 * passed on to it.
 */
export function inNamespace(): Promise<number> {
  const [file, ...words] = [...unshare, process.execPath, ...process.argv.slice(1)];
  const child = spawn(file!, words, { stdio: 'inherit', env: { ...process.env, [variable]: 'on' } });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
