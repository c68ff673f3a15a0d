import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import tls from 'node:tls';
import { emulatorAccount } from '../../infra/settings.ts';
import { start } from './processes.ts';
import { NotAsExpected, until } from './progress.ts';

/** The emulator, with the parts that its callers need. */
export type Emulator = {
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /**
   * The environment of programs that talk to it, the CDK's CLI among them, without any of this machine's own AWS
   * configuration.
   */
  readonly env: NodeJS.ProcessEnv;
  /** The files of its certificate and of the key to that. */
  readonly tls: { readonly certificate: string; readonly key: string };
  readonly log: string;
};

const region = 'us-east-1';

/** A port without a listener now. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * Starts MiniStack on the loopback, with TLS and with IAM enforced: functions get the credentials of their roles, and
 * calls beyond our grants are refused. Resolves when it answers.
 */
export async function startEmulator(python: string, folder: string): Promise<Emulator> {
  const state = join(folder, 'state');
  rmSync(state, { recursive: true, force: true });
  for (const name of ['home', 'tmp']) mkdirSync(join(state, name), { recursive: true });
  // The emulator writes CommonJS programs below here; without this they would be read as modules, as our own
  // package.json says.
  writeFileSync(join(state, 'package.json'), '{"type":"commonjs"}\n');
  const port = await freePort();
  const [certificate, key] = ['server.crt', 'server.key'].map((name) => join(state, 'tmp', 'ministack-tls', name)) as [string, string];
  // A key of its own, since the CLI remembers by key to which account it belongs.
  const credentials = { accessKeyId: `MUSTERCHECK${port}`, secretAccessKey: 'not-a-secret' };
  const base: NodeJS.ProcessEnv = {
    // Functions run as processes of the first node there: the project's, of Lambda's own major version.
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: join(state, 'home'),
    TMPDIR: join(state, 'tmp'),
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
  };
  const log = join(state, 'ministack.log');
  const emulator = start(python, ['-m', 'ministack'], { env: { ...base, ...settings(port, state) }, cwd: state, log });
  const endpoint = `https://127.0.0.1:${port}`;
  await until('the emulator to answer', 60_000, async () => {
    if (emulator.exitCode !== null)
      throw new NotAsExpected('the emulator to run', `exit ${emulator.exitCode}: ${readFileSync(log, 'utf8').slice(-2_000)}`);
    return (await answers(endpoint, certificate)) ? { found: true } : { seen: 'no answer' };
  });
  const env = { ...base, AWS_ENDPOINT_URL: endpoint, AWS_CA_BUNDLE: certificate, NODE_EXTRA_CA_CERTS: certificate, CI: '1', NO_COLOR: '1' };
  return { endpoint, region, account: emulatorAccount, credentials, env, tls: { certificate, key }, log };
}

const settings = (port: number, state: string): NodeJS.ProcessEnv => ({
  BIND_HOST: '127.0.0.1',
  GATEWAY_PORT: String(port),
  USE_SSL: '1',
  AUTH: 'true',
  MINISTACK_ACCOUNT_ID: emulatorAccount,
  // Servers of services that we do not use.
  IOT_MTLS_ENABLED: '0',
  SFTP_ENABLED: '0',
  STATE_DIR: join(state, 'state'),
  S3_DATA_DIR: join(state, 's3'),
});

/** Whether it answers; from its first certificate on, this process trusts it. */
async function answers(endpoint: string, certificate: string): Promise<boolean> {
  if (!existsSync(certificate)) return false;
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(certificate, 'utf8')]);
  const response = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
  return response?.ok === true;
}
