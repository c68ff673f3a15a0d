import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { run } from './processes.ts';
import { expected, NotAsExpected } from './progress.ts';

const root = join(import.meta.dirname, '../..');
const stacks = ['Muster-Data', 'Muster-Control', 'Muster-Api'];
/** One second between heartbeats, so that a lost node is noticed in nine. */
const context = ['-c', 'beatMinMs=1000'];
/** Nobody has an identity yet, and our actors have no AWS credentials. */
const open = ['-c', 'doors=open'];

/** What the deployed stacks tell: outputs by stack and name. */
export type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The CDK's own CLI, unmodified, against the emulator. */
export type Cdk = {
  synth(): Promise<void>;
  bootstrap(): Promise<void>;
  /** With open doors. */
  deploy(): Promise<{ outputs: Outputs; unchanged: readonly string[] }>;
  /** The Api stack alone, with an authorizer on every route, which is what everybody else gets. */
  deployClosed(): Promise<void>;
  lint(python: string): Promise<number>;
};

/** The CLI in a folder of its own for assemblies and outputs. */
export function cdkFor({ env, account, region }: Emulator, folder: string): Cdk {
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
    synth: async () => void (await cdk(['synth', '--quiet', '--output', assembly, ...open])),
    bootstrap: async () => void (await cdk(['bootstrap', `aws://${account}/${region}`, '--output', assembly])),
    deploy: async () => {
      const output = await cdk(['deploy', ...stacks, ...deploying, ...open, '--outputs-file', outputs]);
      const unchanged = stacks.filter((stack) => output.includes(`${stack} (no changes)`));
      return { outputs: JSON.parse(readFileSync(outputs, 'utf8')) as Outputs, unchanged };
    },
    deployClosed: async () => void (await cdk(['deploy', 'Muster-Api', '--exclusively', ...deploying])),
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
