import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { members } from '../support/ar.ts';
import { anExecutable, aProgram, type Program } from '../support/program.ts';

/*
 * What an operator does: build on one machine, install the package on a host that has no Node, and it is a node. The
 * host here is a folder, and an environment in which no program is found.
 */

const nothing = { PATH: '' };
let host: TestHost;
let place: string;
let executable: string;
let started: Program[] = [];
const keep = (program: Program): Program => {
  started.push(program);
  return program;
};

beforeAll(async () => {
  if (process.platform !== 'linux') return;
  host = await aHost({ beatMinMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-one-file-'));
  const out = join(place, 'dist');
  const building = aProgram('tools/packaging/main.ts', ['--endpoint', host.url, '--out', out]);
  expect(await building.ended, building.said()).toBe(0);
  const deb = join(out, readdirSync(out).find((name) => name.endsWith('.deb'))!);
  // The way without dpkg.
  execFileSync('tar', ['xzf', '-', '-C', place], { input: members(readFileSync(deb)).get('data.tar.gz')! });
  executable = join(place, 'usr/bin/muster-agent');
}, 240_000);
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
});
afterAll(async () => {
  await host?.stop();
  if (place) rmSync(place, { recursive: true });
});

const agent = async (args: readonly string[], env: Record<string, string> = {}): Promise<Program> => {
  const [port] = await freePorts(1);
  return keep(anExecutable(executable, ['--watch', `127.0.0.1:${port}`, ...args], { ...nothing, ...env }));
};
const nodesUp = async (): Promise<string[]> => {
  const listed = await apiAt(host.url)(contract.listNodes, { query: {} });
  return listed.ok ? listed.body.items.filter(({ status }) => status === 'up').map(({ fqdn }) => fqdn as string) : [];
};

describe.skipIf(process.platform !== 'linux')('the agent as one file', () => {
  it('is the same file alone and in the package, and says which version it is', async () => {
    expect(readFileSync(join(place, 'dist/muster-agent')).equals(readFileSync(executable))).toBe(true);
    expect(statSync(executable).mode & 0o777).toBe(0o755);
    const asked = keep(anExecutable(executable, ['--version'], nothing));
    expect([await asked.ended, asked.said()]).toEqual([0, `${packageJson.version}\n`]);
  });

  it('makes a host without Node a node of the Muster that is built into it', async () => {
    const home = join(place, 'node1');
    const node = await agent(['--home', home, '--fqdn', 'node1.acme.test']);
    await node.says(`node1.acme.test calls ${host.url}`);
    await node.says('acknowledged: incarnation 1');
    await eventually('node1.acme.test is up', async () => (await nodesUp()).includes('node1.acme.test'), 25_000);
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
    expect(existsSync(join(home, 'ledger.json'))).toBe(true);
  });

  it('has a doctor who finds nothing missing there then, and what is missing before', async () => {
    const asks = async (home: string) => {
      const asked = keep(
        anExecutable(executable, ['doctor', '--json', '--home', join(place, home), '--fqdn', `${home}.acme.test`], nothing),
      );
      const code = await asked.ended;
      const checks = JSON.parse(asked.said()) as { check: string; is: string; says: string }[];
      return { code, missing: checks.filter(({ is }) => is === 'missing').map(({ check }) => check), checks };
    };
    expect(await asks('node9')).toMatchObject({ code: 1, missing: ['way in'] });
    expect(existsSync(join(place, 'node9'))).toBe(false);
    const { code, missing, checks } = await asks('node1');
    expect({ code, missing }).toEqual({ code: 0, missing: [] });
    expect(checks).toContainEqual({ check: 'endpoint', is: 'well', says: `${host.url}, built into this executable` });
    expect(checks).toContainEqual({ check: 'version', is: 'well', says: `${packageJson.version}, the same as Muster’s` });
    expect(checks.find(({ check }) => check === 'clock')).toMatchObject({ is: 'well' });
  });

  it('has a doctor who says what is wrong with its file', async () => {
    const file = join(place, 'wrong.conf');
    writeFileSync(file, 'kind = ceph\n');
    const asked = keep(anExecutable(executable, ['doctor', '--config', file, '--home', join(place, 'node1')], nothing));
    expect(await asked.ended).toBe(1);
    expect(asked.said()).toMatch(/^missing {2}configuration {2}.*wrong\.conf:1 sets kind/);
  });

  it('calls another one where a file, the environment or a flag says so', async () => {
    const home = join(place, 'elsewhere');
    const file = join(place, 'agent.conf');
    writeFileSync(file, 'endpoint = http://127.0.0.1:2\nfqdn = node2.acme.test\n');
    const args = ['--home', home, '--config', file];
    await (await agent(args)).says('node2.acme.test calls http://127.0.0.1:2;');
    started[0]!.child.kill('SIGKILL');
    await started[0]!.ended;
    await (await agent(args, { MUSTER_ENDPOINT: 'http://127.0.0.1:3' })).says('calls http://127.0.0.1:3;');
    started[1]!.child.kill('SIGKILL');
    await started[1]!.ended;
    await (await agent([...args, '--endpoint', 'http://127.0.0.1:4'], { MUSTER_ENDPOINT: 'http://127.0.0.1:3' })).says(
      'calls http://127.0.0.1:4;',
    );
  });

  it('is not led astray by what is meant for the node of a host', async () => {
    const asked = keep(anExecutable(executable, ['--version'], { ...nothing, NODE_OPTIONS: '--require /nothing/there.js' }));
    expect([await asked.ended, asked.said()]).toEqual([0, `${packageJson.version}\n`]);
  });
});

describe('what is not built', () => {
  it('is an agent that everybody on the way could answer', async () => {
    const refused = keep(aProgram('tools/packaging/main.ts', ['--endpoint', 'http://muster.acme.test', '--out', join(tmpdir(), 'never')]));
    expect(await refused.ended).toBe(74);
    expect(refused.said()).toContain('is not an https address');
  });

  it('is one with an address that is none', async () => {
    const refused = keep(aProgram('tools/packaging/main.ts', ['--endpoint', 'muster']));
    expect(await refused.ended).toBe(2);
    expect(refused.said()).toContain('an address such as');
  });
});
