import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import knock from '../../functions/knock.ts';
import nodeDoor from '../../functions/node-door.ts';
import { wiring } from '../../infra/wiring.ts';
import { contract } from '../../lib/contract.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { only } from '../../lib/runtime/direct.ts';
import type { RouteFunction } from '../../lib/runtime/function.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { stageOf } from '../../programs/loadtest/stage.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type OnLambda, onLambda } from '../support/on-lambda.ts';
import { aProgram, type Program } from '../support/program.ts';

/*
 * Heartbeats and status checks at addresses of their own: a real agent and a real daemon join and knock at one address,
 * which names the others, and go on there; when those do not answer, they go on by the first. The doors run as they do
 * on Lambda, on the state of an embedded host.
 */

let host: TestHost;
let [api, heartbeats, statuses]: OnLambda[] = [];
let home: string;
const programs: Program[] = [];

beforeAll(async () => {
  host = await aHost({ beatMinMs: 300 });
  home = mkdtempSync(join(tmpdir(), 'muster-direct-'));
  const shell = { ...host.shell, settings: { ...host.shell.settings, hearsAtOnce: true } };
  const door = (name: keyof typeof wiring.direct & string, fn: RouteFunction) =>
    onLambda([{ prefix: '/', fn: only(fn, wiring.direct[name]!.route), shell }]);
  heartbeats = await door('heartbeat-door', nodeDoor as RouteFunction);
  statuses = await door('status-door', knock as RouteFunction);
  const naming = (direct: string) => ({ ...shell, settings: { ...shell.settings, direct } });
  api = await onLambda([
    { prefix: '/nodes/', fn: nodeDoor as RouteFunction, shell: naming(`${heartbeats.url}/`) },
    { prefix: '/system/', fn: knock as RouteFunction, shell: naming(`${statuses.url}/`) },
  ]);
});
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(({ ended }) => ended));
  for (const one of [api, heartbeats, statuses]) await one?.stop();
  await host.stop();
  rmSync(home, { recursive: true });
});

const started = (program: Program): Program => {
  programs.push(program);
  return program;
};
const beats = (calls: readonly string[]): string[] => calls.filter((call) => call.endsWith('/heartbeat'));
const comes = (what: string, to: OnLambda, call: RegExp): Promise<unknown> => {
  const before = to.calls.length;
  return eventually(what, async () => to.calls.slice(before).some((one) => call.test(one)), 30_000);
};

it('an agent beats and a daemon asks where the deployment says, and where it does not answer the usual way', async () => {
  const [port] = await freePorts(1);
  const watched = createServer().listen(port, '127.0.0.1');
  const endpoint = ['--endpoint', api!.url];
  const agent = started(
    aProgram('programs/agent/main.ts', [
      ...endpoint,
      '--fqdn',
      'node1.acme.test',
      '--watch',
      `127.0.0.1:${port}`,
      '--home',
      join(home, 'node1'),
    ]),
  );
  await comes('a heartbeat at its own address', heartbeats!, /^POST \/nodes\/[^/]+\/heartbeat$/);
  const isUp = async () => {
    const read = await apiAt(host.url)(contract.getNode, { params: { id: 'node1.acme.test' } });
    return read.ok && read.body.status === 'up';
  };
  await eventually('the node is up', isUp);
  // Nothing but heartbeats came there, and none by the API: it was named before the first.
  expect(beats(heartbeats!.calls)).toEqual(heartbeats!.calls);
  expect(beats(api!.calls)).toEqual([]);

  const daemon = started(aProgram('programs/client/main.ts', [...endpoint, '--fqdn', 'web1.acme.test', '--home', join(home, 'web1')]));
  await daemon.says('new: waiting to be accepted');
  const { publicKey } = JSON.parse(readFileSync(join(home, 'web1/identity.json'), 'utf8')) as { publicKey: string };
  const systems = [fingerprintOf(publicKey)];
  expect(await apiAt(host.url)(contract.accept, { body: { systems } })).toMatchObject({ ok: true, body: { results: [{ done: true }] } });
  daemon.child.kill('SIGHUP');
  await daemon.says('onboarded on node1.acme.test');
  // It asks every few seconds once it does not hear its node any more, which beats all the same.
  watched.close();
  await comes('a status check at its own address', statuses!, /^GET \/system\/status$/);
  expect(new Set(statuses!.calls)).toEqual(new Set(['GET /system/status']));
  expect(api!.calls).not.toContain('GET /system/status');

  heartbeats!.throttled = true;
  statuses!.throttled = true;
  await comes('a heartbeat by the API', api!, /heartbeat$/);
  await agent.says(`${heartbeats!.url} does not answer (status 429); calls go the usual way for ten minutes`);
  await comes('a status check by the API', api!, /^GET \/system\/status$/);
  const tried = beats(heartbeats!.calls).length;
  await comes('another heartbeat by the API', api!, /heartbeat$/);
  await comes('and another', api!, /heartbeat$/);
  expect(beats(heartbeats!.calls).length).toBe(tried);
  expect(await isUp()).toBe(true);
}, 90_000);

it('a load test sends heartbeats and status checks there too, and reports when there is no answer', async () => {
  heartbeats!.throttled = false;
  statuses!.throttled = false;
  const token = await apiAt(host.url)(contract.createOnboardingToken, { body: { zone: defaultZone, uses: 2 } });
  if (!token.ok) throw new Error(token.problem.detail);
  const stage = stageOf({
    run: 'direct',
    endpoint: api!.url,
    zone: defaultZone,
    nodes: 1,
    connections: 8,
    onboardingToken: token.body.secret,
  });
  try {
    stage.bootNodes();
    stage.startSystems(2);
    await comes('a heartbeat at its own address', heartbeats!, /\/heartbeat$/);
    await eventually('both are onboarded', async () => stage.clients()['onboarded'] === 2, 30_000);
    // Who hears its node does not ask for hours; who does not hear it asks at once.
    const silenced = stage.silence(1);
    await comes('a status check at its own address', statuses!, /^GET \/system\/status$/);
    stage.wake(silenced);
    expect(stage.meter.totals().errors).toEqual({});

    heartbeats!.throttled = true;
    await eventually('it is reported', async () => stage.meter.totals().errors['no-answer-directly'] === 1, 30_000);
    await comes('a heartbeat by the API', api!, /\/heartbeat$/);
  } finally {
    stage.stop();
  }
}, 90_000);

it('nothing else is answered there', async () => {
  heartbeats!.throttled = false;
  statuses!.throttled = false;
  const answers = async (to: OnLambda, method: string, path: string) => (await fetch(`${to.url}${path}`, { method })).status;
  for (const path of ['/nodes/join', '/nodes/n1/up', '/nodes/n1/events', '/system/knock', '/api/v1/sign-in'])
    expect([await answers(heartbeats!, 'POST', path), await answers(statuses!, 'POST', path)]).toEqual([404, 404]);
  for (const path of ['/nodes/n1/desired', '/system/orphan', '/api/v1/status', '/'])
    expect([await answers(heartbeats!, 'GET', path), await answers(statuses!, 'GET', path)]).toEqual([404, 404]);
  // What is answered is verified as everywhere: a heartbeat that nobody signed is refused.
  const path = heartbeats!.calls.find((call) => call.endsWith('/heartbeat'))!.split(' ')[1]!;
  expect(await answers(heartbeats!, 'POST', path)).toBe(401);
});
