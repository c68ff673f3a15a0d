import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { resultOf, sendTo } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';
import { aProgram, type Program } from '../support/program.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython && process.env['CI'] === 'true') throw new Error('CI must not leave out the client of Python: there is no python3');

const folder = mkdtempSync(join(tmpdir(), 'muster-gateway-'));
writeFileSync(join(folder, 'clear.json'), '{"nodes":[{"name":"a","url":"http://10.0.0.1"}]}', { mode: 0o600 });
const own = [1_000_010_000, 1_000_010_001];

/** Starts the program before these nodes, and gives its address. */
async function started(
  nodes: readonly PlayedNode[],
  ...options: readonly string[]
): Promise<{ readonly program: Program; readonly url: string; readonly file: string }> {
  const file = join(folder, `${nodes.length}.json`);
  write(file, nodes);
  const program = aProgram('programs/gateway/main.ts', ['--nodes', file, '--port', '0', ...options]);
  await program.says('answers at');
  return { program, file, url: /answers at (\S+)\/rpc\/api/.exec(program.said())?.[1] ?? '' };
}

function write(file: string, nodes: readonly PlayedNode[]): void {
  const listed = nodes.map(({ name, url }, n) => ({
    name,
    url,
    systems: own.map((id) => [n === 0 ? id : id + 500_000_000 + n * 100, id]),
    ...(n === 2 && { serverId: 1_000_010_003 }),
  }));
  writeFileSync(file, JSON.stringify({ nodes: listed }), { mode: 0o600 });
}

/** What Python's client gets. It must not wait in this process, which plays the servers. */
const byPython = async (url: string, systems: readonly number[], ...how: readonly string[]): Promise<unknown[]> => {
  const { stdout } = await promisify(execFile)('python3', [join(import.meta.dirname, 'client.py'), url, JSON.stringify(systems), ...how]);
  return JSON.parse(stdout) as unknown[];
};

describe('the program muster-gateway', () => {
  let nodes: PlayedNode[];
  beforeAll(async () => {
    nodes = await Promise.all(['a.acme.test', 'b.acme.test', 'c.acme.test'].map((name) => aPlayedNode(name, own)));
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    rmSync(folder, { recursive: true });
  });

  it.skipIf(!hasPython)('gives the client of Python the same answers as one server does itself', async () => {
    const { program, url } = await started(nodes.slice(0, 1));
    const direct = await byPython(nodes[0]!.url, own);
    expect(await byPython(url, own)).toEqual(direct);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it.skipIf(!hasPython)('answers the client of Python for three servers', async () => {
    const { program, url } = await started(nodes);
    const systems = [own[0]!, 1_500_010_101, 1_500_010_200];
    const answers = new Map((await byPython(url, systems)).filter((one): one is [string, { value: unknown }] => Array.isArray(one)));
    expect(answers.get('system.listSystems')?.value).toHaveLength(6);
    expect(answers.get('system.listActiveSystemsDetails')?.value).toMatchObject([
      { id: systems[0] },
      { id: systems[1] },
      { id: systems[2] },
    ]);
    expect(answers.get('system.deleteSystems')).toEqual({ value: 1 });
    expect(answers.get('schedule.listInProgressSystems')?.value).toMatchObject(systems.map((server_id) => ({ server_id })));
    expect(answers.get('schedule.cancelActions')).toEqual({ value: 1 });
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it.skipIf(!hasPython)('answers scripts of the hub in Python, in each of its modes', async () => {
    const { program, url } = await started(nodes);
    const systems = [own[0]!, 1_500_010_101, 1_500_010_200];
    const [refused, ...answers] = await byPython(url, systems, 'hub');
    expect(refused).toEqual({ fault: [2950, 'Either the password or username is incorrect.'] });
    const servers = [260_200_775, 349_515_698, 1_000_010_003];
    const none = { ServerIds: [], Responses: [] };
    const ofMode = (mode: string) => [
      ...(mode === 'loginWithAutoconnectMode' ? [3] : []),
      [mode, servers, { ServerIds: servers, Responses: [0, 1, 2].map(() => [expect.any(Object), expect.any(Object)]) }, none],
      { Successful: { ServerIds: servers, Responses: [7_000 + own[0]!, 7_000 + own[1]!, 7_000 + own[0]!] }, Failed: none },
      expect.objectContaining({ id: systems[2], node: 'c.acme.test' }),
      { fault: [-208, `No such system - sid[${systems[2]}]: it is on c.acme.test, and not on a.acme.test`] },
      { value: mode === 'login' ? '' : 1 },
    ];
    expect(answers).toEqual(['login', 'loginWithAuthRelayMode', 'loginWithAutoconnectMode'].flatMap(ofMode));
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('reads the file of nodes anew by SIGHUP, and keeps what it had if that cannot be read', async () => {
    const { program, url, file } = await started(nodes.slice(0, 2));
    write(file, nodes);
    program.child.kill('SIGHUP');
    await program.says('answers for a.acme.test, b.acme.test, c.acme.test now');
    writeFileSync(file, '{"nodes":[{"name":"a.acme.test"}]}');
    program.child.kill('SIGHUP');
    await program.says('the nodes are as they were before');
    const key = resultOf((await sendTo(url, callText('auth.login', ['admin', 'secret']))).read());
    expect(resultOf((await sendTo(url, callText('system.listSystems', [key]))).read())).toHaveLength(6);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it.each([
    [[], 2, 'give --endpoint, the address of Muster, or --nodes'],
    [['--endpoint', 'http://muster.acme.test'], 2, 'does not use https'],
    [['--endpoint', 'https://127.0.0.1:1'], 2, 'give --token-file'],
    [['--nodes', 'x.json', '--bind', '0.0.0.0'], 2, 'passwords would travel in the clear'],
    [['--nodes', 'x.json', '--certificate', 'a.pem'], 2, '--certificate and --key go together'],
    [['--endpoint', 'https://127.0.0.1:1', '--node-url', 'a=http://10.0.0.1'], 2, 'an address of https'],
    [['--endpoint', 'https://127.0.0.1:1', '--server-id', 'a=0'], 2, 'such as node1.acme.org=1000010003'],
    [['--endpoint', 'https://127.0.0.1:1', '--server-id', 'a=4294967296'], 2, 'a number is at most 2147483647'],
    [['--nodes', join(folder, 'absent.json')], 74, 'ENOENT'],
    [['--nodes', join(folder, 'clear.json')], 74, 'an address of https'],
  ] as const)('ends with %j: %i', async (args, code, why) => {
    const program = aProgram('programs/gateway/main.ts', args, { MUSTER_TOKEN: '' });
    expect(await program.ended).toBe(code);
    expect(program.said()).toContain(why);
  });

  it('ends with 69 if Muster cannot be reached at the start', async () => {
    const program = aProgram('programs/gateway/main.ts', ['--endpoint', 'https://127.0.0.1:1'], { MUSTER_TOKEN: 'x' });
    expect(await program.ended).toBe(69);
  });
});
