/** A machine that the daemon is built for: the folder of its executable, and how Go names it. */
export type Target = { readonly name: string; readonly env: Readonly<Record<string, string>> };

const linux = (arch: string, name = arch, more: Readonly<Record<string, string>> = {}): Target => ({
  name: `linux-${name}`,
  env: { GOOS: 'linux', GOARCH: arch, ...more },
});

/** Every target of `npm run build:client -- --all`. */
export const targets: readonly Target[] = [
  linux('amd64'),
  linux('386'),
  linux('arm64'),
  linux('arm', 'armv6', { GOARM: '6' }),
  linux('arm', 'armv7', { GOARM: '7' }),
  linux('ppc64le'),
  linux('s390x'),
  linux('riscv64'),
  linux('mips64le'),
];

/** The names of targets by those that Node has for processors; of 32-bit ARM the older one, which runs on both. */
const byNode: Readonly<Record<string, string>> = {
  x64: 'linux-amd64',
  ia32: 'linux-386',
  arm64: 'linux-arm64',
  arm: 'linux-armv6',
  ppc64: 'linux-ppc64le',
  s390x: 'linux-s390x',
  riscv64: 'linux-riscv64',
};

/** The target of a machine; undefined if the daemon is not built for it. */
export const targetOf = ({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): Target | undefined =>
  platform === 'linux' ? targets.find(({ name }) => name === byNode[arch]) : undefined;
