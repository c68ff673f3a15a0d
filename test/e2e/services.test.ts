import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { ServiceTypeName, ZoneName } from '../../lib/core/ids.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { stateOf } from '../../lib/runtime/content.ts';
import { type AskResult, instanceOf, type Service, serviceId } from '../../lib/services/service.ts';
import { livesOf } from '../../programs/agent/processes/born.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { nodeFqdn } from '../../tools/support/builders.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

/*
 * Services on a host, from an operator's order down to what runs there: an embedded host, the agent as a program, and
 * services that are a shell script each.
 */

const zone = 'default' as ZoneName;
const echo = 'echo' as ServiceTypeName;
const node = nodeFqdn(1);
const lives = livesOf('any boot');

/** A service: it is well once it has seen its configuration, says what it is told, and ends when it is told to. */
const script = `
case "$1" in
  run) echo "$MUSTER_SERVICE_INSTANCE" >> "$2/begun"
       echo "$MUSTER_SERVICE $MUSTER_SERVICE_INSTANCE \${MUSTER_JOIN_TOKEN:-nothing secret}"
       cp "$MUSTER_SERVICE_CONFIGURATION" "$2/seen.json"; trap 'exit 0' TERM; while :; do sleep 0.1; done ;;
  check) test -e "$2/seen.json" || exit 7; echo well ;;
  status) printf 'all is well\\n\\033[31mnothing burns\\n' ;;
  send) cat; exit 3 ;;
esac`;

let host: TestHost;
let place: string;
let agents: Program[];
let home: string;
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-services-'));
  home = join(place, 'agent');
  writeFileSync(join(place, 'echo.sh'), script);
  agents = [];
});
afterEach(async () => {
  for (const { child } of agents) child.kill('SIGKILL');
  await Promise.all(agents.map(({ ended }) => ended));
  for (const pid of running()) process.kill(-pid, 'SIGKILL');
  await host.stop();
  rmSync(place, { recursive: true });
});

const api = () => apiAt(host.url);
async function anAgent(allows = 'built-in,process,echo'): Promise<Program> {
  const [port] = await freePorts(1);
  const minted = await api()(contract.createNodeToken, { body: { nodes: node, kind: 'uyuni', zone } });
  if (!minted.ok) throw new Error(minted.problem.detail);
  const who = ['--fqdn', node, '--watch', `127.0.0.1:${port}`, '--allow-service', allows, '--service-user', userInfo().username];
  const program = aProgram('programs/agent/main.ts', ['--home', home, '--endpoint', host.url, ...who], {
    MUSTER_JOIN_TOKEN: minted.body.secret,
  });
  agents.push(program);
  await program.says('acknowledged');
  return program;
}
/** What `muster-agent service …` says, and its exit code. */
async function ask(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ code: number | string; said: string }> {
  const program = aProgram('programs/agent/main.ts', ['service', ...args, '--home', home], env);
  return { code: await program.ended, said: program.said() };
}
/** What is said on the agent's socket is answered so. */
function onSocket(words: string): Promise<string> {
  const socket = connect(join(home, 'agent.sock'));
  const answered = text(socket).catch(() => 'closed');
  socket.end(words);
  return answered;
}
/** The pids of what runs of those that the agent started, by the files that they wrote. */
const running = (): number[] => {
  const folder = join(home, 'services');
  const pids = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.pid')) : [];
  return pids
    .flatMap((name) => lives.in(readFileSync(join(folder, name), 'utf8')) ?? [])
    .filter((life) => lives.isOn(life))
    .map(({ pid }) => pid);
};
const row = async (type = echo): Promise<Service | undefined> => {
  const id = ((await host.shell.table.read(keyOf({ noun: 'fqdn', id: node })))?.body as { node: string } | undefined)?.node ?? '';
  return stateOf<Service>(await host.shell.table.read(keyOf({ noun: 'service', id: serviceId({ node: id, type }) })), host.shell.now());
};
const becomes = (is: Service['state']['is'], start: number, type = echo): Promise<Service> =>
  eventually(`${type} is ${is} at start ${start}`, async () => {
    const now = await row(type);
    return now?.state.is === is && now.start === start && now;
  });
const answerTo = (what: AskResult['what']): Promise<AskResult> =>
  eventually(`the answer to ${what}`, async () => (await row())?.results.findLast((one) => one.ask !== undefined && one.what === what));
async function order<T>(answer: Promise<{ ok: true; body: T } | { ok: false; problem: { detail?: string | undefined } }>): Promise<T> {
  const got = await answer;
  if (!got.ok) throw new Error(got.problem.detail);
  return got.body;
}
const started = (type: ServiceTypeName, configuration: Record<string, unknown>) =>
  order(api()(contract.startService, { params: { zone, type }, body: { node, configuration } }));

async function echoIsKnown(): Promise<void> {
  const sh = (...args: string[]) => ['/bin/sh', join(place, 'echo.sh'), ...args, place];
  const type = {
    start: sh('run'),
    check: sh('check'),
    status: sh('status'),
    checkEveryMs: 1_000,
    stopMs: 3_000,
    messages: [{ name: 'say', data: { type: 'object' as const }, command: sh('send') }],
    questions: [{ name: 'may-stop', rule: { is: 'may-stop', leave: 1 } }],
  };
  await order(api()(contract.putServiceType, { params: { zone, type: echo }, body: type as never }));
}

describe('a service of a host', () => {
  it('starts, is asked, is started again when it ends, outlives its agent, is configured anew, and stops', async () => {
    const first = await anAgent();
    await echoIsKnown();
    await started(echo, { words: 1 });
    const online = await becomes('online', 1);
    expect(running()).toEqual([online.running!.pid]);
    expect(JSON.parse(readFileSync(join(place, 'seen.json'), 'utf8'))).toEqual({ words: 1 });
    expect(statSync(join(home, 'services', 'echo.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, 'services', 'echo.log'), 'utf8')).toMatch(/^echo \S+ nothing secret\n$/);
    const healthy = await eventually('its health', async () => (await row())?.healthy);
    expect(healthy).toBe(true);

    const of = { params: { zone, type: echo }, body: { node } };
    await order(api()(contract.statusService, of));
    expect(await answerTo('status')).toMatchObject({ exit: 0, says: 'all is well\n[31mnothing burns' });
    await first.says('echo: all is well');
    await order(api()(contract.sendService, { ...of, body: { node, message: 'say' as ServiceTypeName, data: { hello: 'world' } } }));
    expect(await answerTo('message')).toMatchObject({ exit: 3, says: '{"hello":"world"}' });

    const inside = { MUSTER_SERVICE_SOCKET: join(home, 'agent.sock'), MUSTER_SERVICE: echo, MUSTER_SERVICE_INSTANCE: instanceOf(online) };
    const asked = await ask(['ask', 'may-stop'], inside);
    expect([asked.code, JSON.parse(asked.said)]).toEqual([1, { yes: false, because: 'other services of its name online: 0; needed: 1' }]);
    expect(await ask(['ask', 'may-i'], inside)).toMatchObject({ code: 2, said: expect.stringContaining('unknown-message') });

    process.kill(online.running!.pid, 'SIGKILL');
    const again = await becomes('online', 2);
    expect(again.running!.pid).not.toBe(online.running!.pid);

    first.child.kill('SIGKILL');
    await first.ended;
    await anAgent();
    await host.settled();
    expect(await row()).toMatchObject({ start: 2, state: { is: 'online' }, running: again.running });
    expect(running()).toEqual([again.running!.pid]);

    await order(api()(contract.reconfigureService, { ...of, body: { node, configuration: { words: 2 } } }));
    await becomes('online', 3);
    expect(JSON.parse(readFileSync(join(place, 'seen.json'), 'utf8'))).toEqual({ words: 2 });
    expect(running()).toHaveLength(1);
    await order(api()(contract.stopService, of));
    await eventually('it is registered no more', async () => (await row()) === undefined);
    expect(running()).toEqual([]);
  }, 60_000);

  it('is started again by its agent while Muster is away, and reported once that is back', async () => {
    await host.stop();
    const [port] = (await freePorts(1)) as [number];
    const lasting = { beatMinMs: 300, port, home: join(place, 'muster') };
    host = await aHost(lasting);
    const agent = await anAgent();
    await echoIsKnown();
    await started(echo, { words: 1 });
    const online = await becomes('online', 1);

    await host.stop();
    process.kill(online.running!.pid, 'SIGKILL');
    await agent.says('Muster is unreachable: attempt 1 of 5 to restart service echo');
    const [pid] = await eventually('it runs again', async () => running().length === 1 && running());
    expect(pid).not.toBe(online.running!.pid);

    host = await aHost(lasting);
    const again = await eventually('what happened is reported', async () => {
      const now = await row();
      return now?.state.is === 'online' && now.running?.pid === pid && now;
    });
    expect(again).toMatchObject({ start: 1, attempts: 1 });
    await host.settled();
    expect(running()).toEqual([pid]);
  }, 60_000);

  it('speaks for itself on the socket of its agent, and others are refused there', async () => {
    await anAgent();
    const agentAt = `${process.execPath} ${fileURLToPath(new URL('../../programs/agent/main.ts', import.meta.url))}`;
    const says = `${agentAt} service report`;
    const own = `${says} ready --address tcp://n1:7 --release 1.2; ${says} acquired database main; trap '${says} stopping; exit 0' USR1; while :; do sleep 0.1; done`;
    const type = 'process' as ServiceTypeName;
    await started(type, { command: ['/bin/sh', '-c', own] });
    const online = await eventually('it has said where it is', async () => {
      const now = await row(type);
      return now?.address !== undefined && now;
    });
    expect(online).toMatchObject({ state: { is: 'online' }, address: 'tcp://n1:7', version: '1.2' });
    expect((await ask(['list'])).said).toMatch(new RegExp(`process +\\S+ +run +online +${online.running!.pid} `));
    const found = await ask(['find', 'process', '--json']);
    expect(JSON.parse(found.said)).toEqual([expect.objectContaining({ type, host: node, state: 'online', address: 'tcp://n1:7' })]);
    expect(await onSocket('{"find":"nobody"}')).toBe('{"ok":true,"found":[]}\n');

    const socket = join(home, 'agent.sock');
    const env = { MUSTER_SERVICE_SOCKET: socket, MUSTER_SERVICE: type };
    expect(await ask(['report', 'ready'])).toMatchObject({ code: 2, said: expect.stringContaining('inside a service') });
    expect(await ask(['report', 'failed', 'no more'], { ...env, MUSTER_SERVICE_INSTANCE: 'zz.9' })).toMatchObject({
      code: 2,
      said: expect.stringContaining('is not the one that runs here'),
    });
    for (const words of ['', '{"find":"../x"}', '{"service":"process"}', 'x'.repeat(3_000)])
      expect(await onSocket(words), words.slice(0, 20)).toContain('this is not a request');
    expect(await onSocket('x'.repeat(9_000))).toMatch(/^$|closed/);
    expect(await onSocket(JSON.stringify({ service: type, instance: 'zz.9', report: { is: 'failed', reason: '\u001b[2J' } }))).toContain(
      'this is not a request',
    );
    expect((await row(type))?.state.is).toBe('online');

    // It announces its end, and is not started again.
    process.kill(online.running!.pid, 'SIGUSR1');
    await eventually('it is registered no more', async () => (await row(type)) === undefined);
    expect(running()).toEqual([]);
  }, 60_000);

  it('is begun once, also when its agent is killed in the middle of that', async () => {
    const agent = await anAgent();
    await echoIsKnown();
    await started(echo, { words: 0 });
    await becomes('online', 1);
    let beside = agent;
    // Before the agent has asked what is new, while it ends the one before and begins the next, and while that has yet
    // to be found well.
    for (const [n, afterMs] of [0, 250, 500, 800, 1_200].entries()) {
      const words = n + 1;
      await order(api()(contract.reconfigureService, { params: { zone, type: echo }, body: { node, configuration: { words } } }));
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      beside.child.kill('SIGKILL');
      await beside.ended;
      expect(running().length, `${afterMs} ms after the order`).toBeLessThanOrEqual(1);
      beside = await anAgent();
      const { running: life } = await eventually(`it runs with ${words}`, async () => {
        const now = await row();
        return now?.state.is === 'online' && now.configuration === JSON.stringify({ words }) && now;
      });
      expect(running(), `${afterMs} ms after the order`).toEqual([life!.pid]);
      expect(JSON.parse(readFileSync(join(place, 'seen.json'), 'utf8'))).toEqual({ words });
    }
    // Some instances never began, as their node was away; none began twice, or after a later one.
    const begun = readFileSync(join(place, 'begun'), 'utf8').trimEnd().split('\n');
    const starts = begun.map((instance) => Number(instance.split('.')[1]));
    expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
  }, 120_000);

  it('that cannot be run says why; what the agent does itself needs no process', async () => {
    const agent = await anAgent();
    await started('m0d' as ServiceTypeName, {});
    await started('statistics' as ServiceTypeName, { everyMs: 1_000 });
    const why = await eventually('m0d has failed', async () => {
      const now = await row('m0d' as ServiceTypeName);
      return now?.state.is === 'failed' && now.state.reason;
    });
    expect(why).toContain('runs no processes');
    await becomes('online', 1, 'statistics' as ServiceTypeName);
    const log = join(home, 'services', 'statistics.log');
    await eventually('it writes', async () => readFileSync(log, 'utf8').split('\n').length > 2);
    expect(readFileSync(log, 'utf8')).toMatch(/^\d{4}-\S+Z load [\d.]+ .*memory \d+ of \d+ MiB; disk [\d.]+ of [\d.]+ GiB\n/);
    expect(agent.said()).toContain('started service statistics');
  }, 30_000);
});
