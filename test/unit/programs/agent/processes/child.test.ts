import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../../../lib/api/client.ts';
import type { NodeId } from '../../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { livesOf } from '../../../../../programs/agent/processes/born.ts';
import { ChildRunner } from '../../../../../programs/agent/processes/child.ts';
import { ProcessKeeper } from '../../../../../programs/agent/processes/keeper.ts';
import type { Seen } from '../../../../../programs/agent/processes/runner.ts';
import type { Held } from '../../../../../programs/agent/processes/state.ts';
import { eventually } from '../../../../../tools/support/host.ts';
import { aDesired, fids } from './played.ts';

const [confd] = fids as [(typeof fids)[number]];
const lives = livesOf('0123abcd');
/** Each ends by itself before long, whatever becomes of its test. */
const script = {
  lives: 'setTimeout(() => {}, 20_000)',
  fails: 'process.exitCode = 3',
  readies: `setTimeout(() => console.log('warming up\\nready'), 200); setTimeout(() => {}, 20_000)`,
  deaf: `process.on('SIGTERM', () => {}); console.log('ready'); setTimeout(() => {}, 20_000)`,
  tells: `console.log(process.env.MERO_PROCESS_FID, process.env.MUSTER_JOIN_TOKEN ?? 'nothing secret'); setTimeout(() => {}, 20_000)`,
};

/** Does something later, unless it is called off. */
function onTime(waitMs: number, then: () => void): () => void {
  const timer = setTimeout(then, waitMs);
  return () => clearTimeout(timer);
}

let folder: string;
let began: number[];
const runnerOf = (readyLine?: string): ChildRunner =>
  new ChildRunner({
    folder,
    commands: new Map(Object.entries(script).map(([name, text]) => [name, [process.execPath, '-e', text]])),
    readyAfterMs: 300,
    readyLine,
    environment: { ...process.env, MUSTER_JOIN_TOKEN: 'mjt_secret' },
    lives,
    runsAs: () => ({ ok: true }),
    now: () => Date.now(),
  });
const held = (over: Partial<Held> = {}): Held => ({
  process: confd,
  prefix: 'lives',
  startMs: 180_000,
  stopMs: 600_000,
  is: 'starting',
  since: Date.now() as EpochMs,
  ...over,
});
const foundBy = async (runner: ChildRunner, one: Held): Promise<Seen | undefined> => {
  const look = await runner.look([one]);
  return look.ok ? look.seen.get(one.process) : undefined;
};
const becomes = (runner: ChildRunner, one: Held, is: Seen['is']): Promise<Seen> =>
  eventually(`it is ${is}`, async () => {
    const found = await foundBy(runner, one);
    return found?.is === is && found;
  });
async function start(runner: ChildRunner, prefix: keyof typeof script, over: Partial<Held> = {}): Promise<Held> {
  const answer = await runner.start(aDesired({ prefix, environment: [{ name: 'MERO_PROCESS_FID', value: confd }] }));
  if (!answer.ok || !answer.life) throw new Error('it has not begun');
  began.push(answer.life.pid);
  return held({ prefix, life: answer.life, ...over });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-children-'));
  began = [];
});
afterEach(async () => {
  for (const pid of began) if (lives.of(pid)) process.kill(-pid, 'SIGKILL');
  await eventually('they have ended', async () => began.every((pid) => !lives.of(pid)));
  rmSync(folder, { recursive: true });
});

describe('a child', () => {
  it('is starting until it has lived for a moment, stops when told, and tells its exit status as a shell does', async () => {
    const runner = runnerOf();
    let ends = 0;
    runner.onEnd(() => {
      ends += 1;
    });
    const one = await start(runner, 'lives');
    expect(await foundBy(runner, one)).toEqual({ is: 'starting', life: one.life });
    expect(await becomes(runner, one, 'online')).toEqual({ is: 'online', life: one.life });
    expect(await runner.stop(one)).toEqual({ ok: true });
    expect(await becomes(runner, { ...one, is: 'stopping' }, 'absent')).toEqual({ is: 'absent', exit: 143 });
    expect(ends).toBe(1);
    expect(await runner.stop(one)).toEqual({ ok: true });
  });

  it('that ends by itself is absent, with what it exited with', async () => {
    const runner = runnerOf();
    expect(await becomes(runner, await start(runner, 'fails'), 'absent')).toEqual({ is: 'absent', exit: 3 });
  });

  it('says that it is ready by a line of its own, where there is such a line', async () => {
    const runner = runnerOf('ready');
    const early = await start(runner, 'readies', { since: 0 as EpochMs });
    expect((await foundBy(runner, early))?.is).toBe('starting');
    await becomes(runner, early, 'online');
    expect(readFileSync(join(folder, `${confd}.log`), 'utf8')).toBe('warming up\nready\n');
  });

  it('gets its own environment and nothing that is for the agent alone; its output is kept over its next life', async () => {
    const runner = runnerOf();
    const one = await start(runner, 'tells');
    const log = join(folder, `${confd}.log`);
    await eventually('it has spoken', async () => readFileSync(log, 'utf8') !== '');
    expect(readFileSync(log, 'utf8')).toBe(`${confd} nothing secret\n`);
    await runner.stop(one);
    await becomes(runner, one, 'absent');
    await start(runner, 'lives');
    expect(readFileSync(`${log}.before`, 'utf8')).toBe(`${confd} nothing secret\n`);
    expect(readFileSync(log, 'utf8')).toBe('');
  });

  it('is found by the agent that comes after, also when the one before died before it had written its pid down', async () => {
    const one = await start(runnerOf(), 'lives');
    const after = runnerOf();
    expect(await foundBy(after, { ...one, is: 'online' })).toEqual({ is: 'online', life: one.life });
    const { life: _unwritten, ...bare } = one;
    await eventually('it has written its pid down', async () => existsSync(join(folder, `${confd}.pid`)));
    const found = await becomes(after, { ...bare, since: 0 as EpochMs }, 'online');
    expect(found).toEqual({ is: 'online', life: one.life });
    await after.stop({ ...bare, is: 'stopping' });
    expect(await becomes(after, { ...one, is: 'stopping' }, 'absent')).toEqual({ is: 'absent' });
  });

  it('that ignores that it is to stop goes on, and is killed', async () => {
    const runner = runnerOf('ready');
    const one = await start(runner, 'deaf');
    await becomes(runner, one, 'online');
    expect(await runner.stop(one)).toEqual({ ok: true });
    await delay(300);
    expect((await foundBy(runner, { ...one, is: 'stopping' }))?.is).toBe('online');
    expect(await runner.kill(one)).toEqual({ ok: true });
    expect(await becomes(runner, { ...one, is: 'stopping' }, 'absent')).toEqual({ is: 'absent', exit: 137 });
    expect(await runner.kill(one)).toEqual({ ok: true });
  });

  it('that ignores that it is to stop is killed by its agent after its time, which Muster hears', async () => {
    const words: { type: string; data: { pid?: number; reason?: string } }[] = [];
    const api = (async (_route: unknown, { body }: { body: typeof words }) => {
      words.push(...body);
      return { ok: true, status: 202, headers: new Headers(), body: { accepted: body.length } };
    }) as unknown as ApiClient;
    const keeper = new ProcessKeeper({
      folder: folderAt(join(folder, 'home')),
      runner: runnerOf('ready'),
      files: { write: async () => {}, remove: () => {} },
      lives,
      newName: () => 'table0001',
      say: () => {},
      world: { now: () => Date.now() as EpochMs, random: () => 0.5, after: onTime },
    });
    const kept = keeper.start({ api, member: () => ({ node: 'n0123456789abcdef' as NodeId, incarnation: 1 }) });
    const deaf = aDesired({ prefix: 'deaf', stopMs: 500 });
    keeper.desired(1, [deaf]);
    const { pid } = await eventually('it is online', async () => keeper.table().processes.find(({ state }) => state === 'online'));
    began.push(pid);
    keeper.desired(2, [{ ...deaf, goal: 'stop' }]);
    await eventually('it has been killed', async () => words.length === 4 && lives.of(pid) === undefined);
    kept.stop();
    expect(words.map(({ type }) => type)).toEqual(['starting', 'started', 'stopping', 'failed'].map((what) => `process.${what}`));
    expect(words.at(-1)).toMatchObject({ data: { pid, reason: 'it did not stop within 0.5 s and was killed' } });
  });

  it('of another life is neither found nor stopped', async () => {
    const runner = runnerOf();
    const one = await start(runner, 'lives');
    const former: Held = { ...one, is: 'online', life: { pid: one.life!.pid, born: '0123abcd.1' } };
    expect(await runnerOf().look([former])).toEqual({ ok: true, seen: new Map([[confd, { is: 'absent' }]]) });
    await runner.stop(former);
    await becomes(runner, one, 'online');
  });

  it('of a prefix without a command is not started', async () => {
    const answer = await runnerOf().start(aDesired({ prefix: 's3server' }));
    expect(answer).toEqual({ ok: false, why: 'no command is set for s3server: give the agent --run s3server=COMMAND' });
  });

  it('is begun as nobody whom its host does not name', async () => {
    const why = 'no user is set for lives, and the agent is root';
    const runner = new ChildRunner({
      folder,
      commands: new Map([['lives', ['true']]]),
      readyAfterMs: 0,
      environment: {},
      lives,
      now: () => 0,
      runsAs: (prefix) => ({ ok: false, why: `no user is set for ${prefix}, and the agent is root` }),
    });
    expect(await runner.start(aDesired({ prefix: 'lives' }))).toEqual({ ok: false, why });
  });

  it('whose command is not there has ended before it was ready', async () => {
    const runner = new ChildRunner({
      folder,
      commands: new Map([['m0d', ['/no/such/program']]]),
      readyAfterMs: 5_000,
      environment: {},
      lives,
      runsAs: () => ({ ok: true }),
      now: () => Date.now(),
    });
    const answer = await runner.start(aDesired());
    if (!answer.ok) throw new Error(answer.why);
    expect(await becomes(runner, held({ prefix: 'm0d', ...(answer.life && { life: answer.life }) }), 'absent')).toEqual({
      is: 'absent',
      exit: 127,
    });
  });
});
