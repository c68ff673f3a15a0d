import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceTypeName } from '../../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import type { DesiredService } from '../../../../../lib/nodes/desired/desired.ts';
import { livesOf } from '../../../../../programs/agent/processes/born.ts';
import { type As, userNamed } from '../../../../../programs/agent/runs-as.ts';
import { askCommand } from '../../../../../programs/agent/services/ask.ts';
import { HostRunner } from '../../../../../programs/agent/services/host-runner.ts';
import { Rooms } from '../../../../../programs/agent/services/rooms.ts';
import type { Held } from '../../../../../programs/agent/services/state.ts';
import type { Life } from '../../../../../programs/agent/supervised/thing.ts';
import { eventually } from '../../../../../tools/support/host.ts';
import { aService, echo, instances } from './played.ts';

const lives = livesOf('0123abcd');
const after = (waitMs: number, then: () => void): (() => void) => {
  const timer = setTimeout(then, waitMs);
  return () => clearTimeout(timer);
};
const world = { now: () => Date.now() as EpochMs, after, random: () => 0.5 };

const site = {
  supervisor: { status: () => ({ looks: true, says: 'hears 3 of 4 nodes' }) },
  coordinator: { status: () => ({ acts: false, says: 'does not act' }) },
  carryOut: async (data: string | undefined) => ({ exit: 0, says: `did ${data}` }),
};

let folder: string;
let began: Life[];
/** Of what a service has started, that which may be there when the service is not. */
let left: Life[];
const rooms = (): Rooms => new Rooms({ folder: join(folder, 'rooms', 'a'), hear: async () => () => {}, say: () => {} });
const aRunner = (as: As = { ok: true }): HostRunner =>
  new HostRunner({
    runsAs: () => as,
    rooms: rooms(),
    folder: join(folder, 'services'),
    socket: join(folder, 'agent.sock'),
    environment: { ...process.env, MUSTER_JOIN_TOKEN: 'mjt_secret' },
    processes: () => undefined,
    supervisor: () => ({ looks: true, says: 'watches the services of this host' }),
    site,
    lives,
    world,
  });
const sh = (text: string) => ({ is: 'command' as const, start: ['/bin/sh', '-c', text] });
const held = (life: Life, over: Partial<Held> = {}): Held => ({
  service: echo,
  instance: instances[0]!,
  stopMs: 1_000,
  is: 'online',
  since: 0 as EpochMs,
  life,
  answered: [],
  ...over,
});
async function start(runner: HostRunner, service: DesiredService): Promise<Life> {
  const answer = await runner.start(service);
  if (!answer.ok || !answer.life) throw new Error('it has not begun');
  began.push(answer.life);
  return answer.life;
}
/** A service that an agent before has started, and what that has started: both live on when the agent has ended. */
async function begunBefore(text: string, instance = instances[0]!): Promise<{ life: Life; child: Life }> {
  const noted = join(folder, `child-${instance}`);
  const script = join(folder, `agent-${instance}.mts`);
  const from = (path: string): string => JSON.stringify(new URL(`../../../../../${path}`, import.meta.url).href);
  const service = { ...aService({ program: sh(`sh -c "${text}" & cat /proc/$!/stat > ${noted}; wait`) }), instance };
  writeFileSync(
    script,
    `import { livesOf } from ${from('programs/agent/processes/born.ts')};
import { HostRunner } from ${from('programs/agent/services/host-runner.ts')};
const runner = new HostRunner({ folder: ${JSON.stringify(join(folder, 'services'))}, environment: process.env, lives: livesOf('0123abcd'), world: {}, runsAs: () => ({ ok: true }) });
console.log(JSON.stringify(await runner.start(${JSON.stringify(service)})));
process.exit();`,
  );
  const { life } = JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' })) as { life: Life };
  await eventually('its child is there', async () => existsSync(noted) && readFileSync(noted, 'utf8') !== '');
  const child = lives.in(readFileSync(noted, 'utf8'))!;
  began.push(life);
  left.push(child);
  return { life, child };
}
const ends = (runner: HostRunner, life: Life) =>
  eventually('it has ended', async () => {
    const found = (await runner.look([held(life)])).get(echo);
    return found?.is === 'absent' && found;
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-services-'));
  began = [];
  left = [];
});
afterEach(() => {
  for (const life of began) if (lives.isOn(life)) process.kill(-life.pid, 'SIGKILL');
  for (const life of left) if (lives.isOn(life)) process.kill(life.pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

describe('a service on a host', () => {
  it('is told who it is and what it is to do, and nothing that is for the agent alone', async () => {
    const runner = aRunner();
    const out = join(folder, 'out');
    const text = `env | grep '^MUSTER_' | sort > ${out}.part; cat "$MUSTER_SERVICE_CONFIGURATION" >> ${out}.part; mv ${out}.part ${out}; sleep 20`;
    await start(runner, aService({ program: sh(text), configuration: '{"secret":"x"}' }));
    await eventually('it has spoken', async () => existsSync(out));
    const file = join(folder, 'services', 'echo.json');
    expect(readFileSync(out, 'utf8').split('\n')).toEqual([
      'MUSTER_SERVICE=echo',
      `MUSTER_SERVICE_CONFIGURATION=${file}`,
      'MUSTER_SERVICE_INSTANCE=k0.1',
      'MUSTER_SERVICE_NAME=echo',
      `MUSTER_SERVICE_SOCKET=${join(folder, 'agent.sock')}`,
      '{"secret":"x"}',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    runner.forget(held(began[0]!));
    expect(existsSync(file)).toBe(false);
  });

  it('takes whatever it has started with it when it ends, and is found by the agent that comes after', async () => {
    const runner = aRunner();
    const child = join(folder, 'child');
    const life = await start(runner, aService({ program: sh(`sleep 20 & cat /proc/$!/stat > ${child}; wait`) }));
    await eventually('its child is there', async () => existsSync(child) && readFileSync(child, 'utf8') !== '');
    const grandchild = lives.in(readFileSync(child, 'utf8'))!;
    expect((await aRunner().look([held(life)])).get(echo)).toEqual({ is: 'running', life });
    process.kill(life.pid, 'SIGKILL');
    expect(await ends(runner, life)).toEqual({ is: 'absent', exit: 137 });
    await eventually('its child has ended, too', async () => !lives.isOn(grandchild));
  });

  it('takes what it has started with it also where an agent before has started it, and nobody else', async () => {
    const own = await begunBefore("trap '' TERM; sleep 20");
    const other = await begunBefore("trap '' TERM; sleep 20", instances[1]!);
    for (const { life } of [own, other]) process.kill(life.pid, 'SIGKILL');
    await eventually('both have ended', async () => !lives.isOn(own.life) && !lives.isOn(other.life));
    expect([lives.isOn(own.child), lives.isOn(other.child)]).toEqual([true, true]);

    const runner = aRunner();
    expect((await runner.look([held(own.life)])).get(echo)).toEqual({ is: 'absent' });
    await eventually('its child has ended, too', async () => !lives.isOn(own.child));
    // Its number has become that of another instance's group.
    expect((await runner.look([held(other.life)])).get(echo)).toEqual({ is: 'absent' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(lives.isOn(other.child)).toBe(true);
  });

  it('that the agent does not know how to run, or whose process is none of its own, says so', async () => {
    const runner = aRunner();
    const builtIn = (does: 'rule' | 'm0d' | 'process') => runner.start(aService({ program: { is: 'built-in', does } }));
    expect(await builtIn('rule')).toEqual({ ok: false, why: 'this agent does not know how to run a rule' });
    expect(await builtIn('m0d')).toMatchObject({ ok: false, why: expect.stringContaining('--processes off') });
    expect(await builtIn('process')).toEqual({ ok: false, why: 'its configuration names no command to run' });
  });

  it('whose files cannot be written has not begun, and ends no agent', async () => {
    writeFileSync(join(folder, 'services'), 'a file, and no folder');
    const runner = aRunner();
    expect(await runner.start(aService())).toMatchObject({ ok: false, why: expect.stringContaining('EEXIST') });
    const inside = held({ pid: 1, born: 'unit.x' }, { inside: true });
    const own = (does: 'supervisor' | 'recovery-supervisor' | 'recovery-coordinator') =>
      runner.command(inside, aService({ program: { is: 'built-in', does } }), { what: 'check' });
    expect(await own('supervisor')).toEqual({ exit: 0, says: 'watches the services of this host' });
    expect(await own('recovery-supervisor')).toEqual({ exit: 0, says: 'hears 3 of 4 nodes' });
    expect(await own('recovery-coordinator')).toEqual({ exit: 1, says: 'does not act' });
    const order = { what: 'message', message: ServiceTypeName.parse('power-cycle'), data: 'it' } as const;
    const ordered = (does: 'recovery-supervisor' | 'recovery-coordinator') =>
      runner.command(inside, aService({ program: { is: 'built-in', does } }), order);
    expect(await ordered('recovery-coordinator')).toEqual({ exit: 0, says: 'did it' });
    expect(await ordered('recovery-supervisor')).toMatchObject({ exit: 3, says: expect.stringContaining('does not understand') });
    const statistics = aService({ program: { is: 'built-in', does: 'statistics' } });
    expect(await runner.command(held({ pid: 1, born: 'unit.x' }, { inside: true }), statistics, { what: 'check' })).toMatchObject({
      exit: 1,
    });
  });

  it('without commands of its own is answered for by what the agent sees', async () => {
    const runner = aRunner();
    const one = held({ pid: 7, born: 'boot.7' });
    expect(await runner.command(one, aService(), { what: 'status' })).toEqual({
      exit: 0,
      says: 'online since 1970-01-01T00:00:00.000Z, pid 7',
    });
    expect(await runner.command(one, aService(), { what: 'message', message: echo })).toMatchObject({ exit: 3 });
  });
});

describe('a question to a service', () => {
  const ask = (command: readonly string[], input = '', limitMs = 5_000) =>
    askCommand(command, { environment: process.env, input, limitMs, after });

  it('is answered by its exit code and the beginning of what it printed, without what steers a terminal', async () => {
    expect(await ask(['/bin/sh', '-c', 'cat; echo oops >&2; exit 3'], '{"a":1}\n')).toEqual({ exit: 3, says: '{"a":1}\noops' });
    const { exit, says } = await ask(['/bin/sh', '-c', 'printf "\\033[2Jx\\000y"; yes | head -c 1000000; kill -9 $$']);
    expect([exit, says.slice(0, 7)]).toEqual([137, '[2Jxyy\n']);
    expect(says.length).toBeGreaterThan(1_900);
    expect(says.length).toBeLessThanOrEqual(2_000);
  });

  it('that cannot be put is answered as OCF has it', async () => {
    expect(await ask(['/no/such/command'])).toMatchObject({ exit: 5 });
    const file = join(folder, 'not-to-be-run');
    writeFileSync(file, '');
    chmodSync(file, 0o600);
    expect(await ask([file])).toMatchObject({ exit: 4 });
  });

  it('has no exit code when it takes too long, and leaves nothing behind', async () => {
    const child = join(folder, 'child');
    const answer = await ask(['/bin/sh', '-c', `echo so far; sleep 20 & cat /proc/$!/stat > ${child}; wait`], '', 500);
    expect(answer).toEqual({ says: 'so far' });
    const left = lives.in(readFileSync(child, 'utf8'))!;
    await eventually('its child has ended', async () => !lives.isOn(left));
  });
});

describe('a service of another user', () => {
  const isRoot = process.getuid?.() === 0;
  /** What it says of itself, once it has written all of it. */
  const said = (log: string) =>
    eventually('it has said so', async () => existsSync(log) && readFileSync(log, 'utf8').includes('end') && readFileSync(log, 'utf8'));

  it('is not begun where the host’s own configuration does not say as whom', async () => {
    const why = 'no user is set for echo, and the agent is root';
    expect(await aRunner({ ok: false, why }).start(aService({ program: sh('true') }))).toEqual({ ok: false, why, refused: true });
    const asked = await aRunner({ ok: false, why }).command(held(lives.of(process.pid)!), aService({ check: ['true'] }), { what: 'check' });
    expect(asked).toEqual({ exit: 4, says: why });
  });

  it.runIf(isRoot)('runs as that, reads what is its own and nothing of the agent’s, and is found again', async () => {
    const user = userNamed('nobody')!;
    chmodSync(folder, 0o711);
    mkdirSync(join(folder, 'rooms'), { mode: 0o711 });
    writeFileSync(join(folder, 'ledger.json'), 'a private key', { mode: 0o600 });
    const script = `id -u; id -G; cat "$MUSTER_SERVICE_CONFIGURATION"; echo; cat ${folder}/ledger.json ${folder}/services/*.pid; ls /proc/self/fd; env; true >>/dev/stdout && echo opened; echo end; sleep 60`;
    const service = aService({ program: sh(script), configuration: '{"secret":1}' });
    const runner = aRunner({ ok: true, user });
    const life = await start(runner, service);
    const text = await said(join(folder, 'services', 'echo.log'));
    expect(text).toContain(`${user.uid}\n${user.gid}\n{"secret":1}\n`);
    expect(text).toContain('ledger.json: Permission denied');
    expect(text).not.toContain('a private key');
    expect(text).not.toContain('mjt_secret');
    expect(text).toContain('\nopened\n');
    // Its own three, that by which ls reads them, and what any child of this process has.
    expect(text).toContain(execFileSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }));
    expect(/^HOME=(.*)$/m.exec(text)?.[1]).toBe(user.home);
    expect(statSync(join(folder, 'rooms/a/echo/configuration.json'))).toMatchObject({ uid: user.uid });
    expect(statSync(join(folder, 'rooms/a/echo/configuration.json')).mode & 0o777).toBe(0o600);
    // An agent that was killed before it wrote anything down finds it by what the child itself has noted.
    const { life: _unknown, ...unwritten } = held(life);
    expect((await aRunner({ ok: true, user }).look([unwritten as Held])).get(echo)).toEqual({ is: 'running', life });
    const asked = await runner.command(held(life), aService({ check: ['/bin/sh', '-c', 'id -u; echo "$USER"'] }), { what: 'check' });
    expect(asked).toEqual({ exit: 0, says: `${user.uid}\nnobody` });
  });
});
