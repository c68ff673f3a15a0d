import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { audience, clientId } from './issuer.ts';
import { run } from './processes.ts';
import { expected, NotAsExpected } from './progress.ts';

const root = join(import.meta.dirname, '../..');
const stacks = ['Muster-Data', 'Muster-Control', 'Muster-Api'];
/** One second between heartbeats, so that a lost node is noticed in nine; and its client systems move at once. */
const heartbeatSettings = ['-c', 'beatMinMs=1000', '-c', 'admitEveryMs=0'];
/** Administrators have an issuer of their own, so that no user pool is made: the emulator has no Cognito. */
const issuedBy = (issuer: string) => ['-c', `oidcIssuer=${issuer}`, '-c', `oidcClientId=${clientId}`, '-c', `oidcAudience=${audience}`];

/** The outputs of the deployed stacks, by stack and name. */
export type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The CDK's own CLI, unmodified, against the emulator. */
export type Cdk = {
  synth(): Promise<void>;
  bootstrap(): Promise<void>;
  /** `more`: settings beside those of every deployment of the check, as `name=value`. */
  deploy(more?: readonly string[]): Promise<{ outputs: Outputs; unchanged: readonly string[] }>;
  lint(python: string): Promise<number>;
};

/**
 * The CLI in a folder of its own for assemblies and outputs; administrators of the deployment are those of the issuer.
 */
export function cdkFor({ env, account, region }: Emulator, folder: string, issuer: string): Cdk {
  const context = [...heartbeatSettings, ...issuedBy(issuer)];
  const assembly = join(folder, 'state', 'cdk.out');
  const outputs = join(folder, 'state', 'outputs.json');
  const deploying = ['--require-approval', 'never', '--output', assembly, '--progress', 'events'];
  const cdk = async (args: readonly string[]): Promise<string> => {
    const cli = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
    const { code, output } = await run(process.execPath, [cli, ...args, ...context], { env, cwd: root });
    if (code !== 0) throw new NotAsExpected(`cdk ${args[0]} to succeed`, `exit ${code}: ${output.slice(-4_000)}`);
    return output;
  };
  return {
    synth: async () => void (await cdk(['synth', '--quiet', '--output', assembly])),
    bootstrap: async () => void (await cdk(['bootstrap', `aws://${account}/${region}`, '--output', assembly])),
    deploy: async (more = []) => {
      const given = more.flatMap((one) => ['-c', one]);
      const output = await cdk(['deploy', ...stacks, ...deploying, ...given, '--outputs-file', outputs]);
      const unchanged = stacks.filter((stack) => output.includes(`${stack} (no changes)`));
      return { outputs: JSON.parse(readFileSync(outputs, 'utf8')) as Outputs, unchanged };
    },
    lint: async (python) => {
      const templates = readdirSync(assembly).filter((name) => name.endsWith('.template.json'));
      expected('four templates', templates.length === 4 && existsSync(assembly), templates);
      // W3005: the CDK itself lists a function's role among its dependencies beside the reference to it.
      const args = ['--ignore-checks', 'W3005', '--', ...templates];
      const { code, output } = await run(join(dirname(python), 'cfn-lint'), args, { env, cwd: assembly });
      expected('cfn-lint to find nothing', code === 0, output.slice(-4_000));
      return templates.length;
    },
  };
}
