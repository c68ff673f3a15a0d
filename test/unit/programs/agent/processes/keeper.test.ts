import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../../lib/api/client.ts';
import type { Fid } from '../../../../../lib/core/fid.ts';
import type { NodeId } from '../../../../../lib/core/ids.ts';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { Workloads } from '../../../../../programs/agent/kept.ts';
import { livesOf } from '../../../../../programs/agent/processes/born.ts';
import { listProcesses, reportProcess } from '../../../../../programs/agent/processes/commands.ts';
import { configurationFilesIn } from '../../../../../programs/agent/processes/configuration-files.ts';
import { ProcessKeeper } from '../../../../../programs/agent/processes/keeper.ts';
import { hearLaunchers } from '../../../../../programs/agent/processes/launchers.ts';
import type { Runner, Seen } from '../../../../../programs/agent/processes/runner.ts';
import type { Life } from '../../../../../programs/agent/supervised/thing.ts';
import { eventually } from '../../../../../tools/support/host.ts';
import { aSteppedWorld, type SteppedWorld } from '../../../../support/stepped-world.ts';
import { aDesired, fids } from './played.ts';

const [confd, ios] = fids as [Fid, Fid];
const node = 'n0123456789abcdef' as NodeId;
const lives = livesOf('0123abcd');
/** This very process: a life that goes on. */
const own = lives.of(process.pid)!;

type Event = {
  readonly id: string;
  readonly type: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly data: { readonly process?: string };
};

let place: string;
let world: SteppedWorld;
let running: Map<Fid, Seen>;
let done: string[];
let heard: Event[][];
let answers: (events: readonly Event[]) => { ok: boolean; status?: number; problem?: string };
let said: string[];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-keeper-'));
  world = aSteppedWorld();
  running = new Map();
  [done, heard, said] = [[], [], []];
  answers = () => ({ ok: true });
});
afterEach(() => rmSync(place, { recursive: true }));

const onDisk = () =>
  JSON.parse(readFileSync(join(place, 'home', 'processes.json'), 'utf8')) as { held: object[]; next: number; out: object[] };

/** A runner that does at once what it is told; what it starts is this very process. */
const runner = (): Runner => ({
  start: async ({ process: fid, start }) => {
    expect(onDisk().held, 'what is begun is on disk').toContainEqual(
      expect.objectContaining({ process: fid, is: 'starting', acted: start }),
    );
    done.push(`start ${fid}`);
    running.set(fid, { is: 'online', life: own });
    return { ok: true, life: own };
  },
  stop: async ({ process: fid }) => {
    done.push(`stop ${fid}`);
    running.delete(fid);
    return { ok: true };
  },
  kill: async ({ process: fid }) => {
    done.push(`kill ${fid}`);
    running.delete(fid);
    return { ok: true };
  },
  look: async (held) => ({ ok: true, seen: new Map(held.map(({ process: fid }) => [fid, running.get(fid) ?? { is: 'absent' }])) }),
  onEnd: () => {},
});
const api = (async (_route: unknown, { body }: { body: Event[] }) => {
  expect(onDisk().next, 'what is said is on disk').toBeGreaterThan(body.at(-1)!.seq);
  const { ok, status = 202, problem = '' } = answers(body);
  if (status === 0) throw new Unreachable('Muster is away');
  heard.push(body);
  const headers = new Headers();
  if (ok) return { ok, status, headers, body: { accepted: body.length } };
  return {
    ok,
    status,
    headers,
    problem: { type: `urn:muster:problem:${problem}`, title: problem, status, detail: `it is ${problem}`, instance: 'x' },
  };
}) as unknown as ApiClient;

const folder = () => folderAt(join(place, 'home'));
const aKeeper = (): ProcessKeeper =>
  new ProcessKeeper({
    folder: folder(),
    runner: runner(),
    files: configurationFilesIn(join(place, 'sysconfig')),
    lives,
    newName: () => `table${said.length}abcd`,
    say: (line) => said.push(line),
    world,
  });
const startedBy = (keeper: ProcessKeeper, incarnation = 1) => keeper.start({ api, member: () => ({ node, incarnation }) });
/** Time passes, and whatever follows from it is done. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    world.step(500);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
/** Time passes until this is so. */
const passUntil = (what: string, isSo: () => boolean) =>
  eventually(what, async () => {
    await pass(500);
    return isSo();
  });
const types = () => heard.flat().map(({ type }) => type);

describe('the keeper of processes', () => {
  it('writes what a process is told before it starts it, for nobody else to read, and removes that with the process', async () => {
    const keeper = aKeeper();
    startedBy(keeper);
    keeper.desired(1, [aDesired({ environment: [{ name: 'MERO_PROCESS_FID', value: confd }] })]);
    const file = join(place, 'sysconfig', `m0d-${confd}`);
    await passUntil('it is online', () => types().length === 2);
    expect(readFileSync(file, 'utf8')).toBe(`MERO_PROCESS_FID='${confd}'\n`);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(types()).toEqual(['process.starting', 'process.started']);
    keeper.desired(2, []);
    await passUntil('it is forgotten', () => !existsSync(file));
    expect([done, existsSync(file)]).toEqual([[`start ${confd}`, `stop ${confd}`], false]);
  });

  it('does not start what it cannot configure, and says why', async () => {
    writeFileSync(join(place, 'sysconfig'), 'a file, and no folder');
    const keeper = aKeeper();
    startedBy(keeper);
    keeper.desired(1, [aDesired(), aDesired({ process: ios, prefix: '../../m0d' })]);
    await passUntil('both are said', () => types().length === 4);
    expect(done).toEqual([]);
    expect(types()).toEqual(['process.starting', 'process.starting', 'process.failed', 'process.failed']);
    const failed = heard.flat().filter(({ type }) => type === 'process.failed');
    expect(failed.map(({ data }) => data).sort((a, b) => (a.process! < b.process! ? -1 : 1))).toEqual([
      { process: confd, reason: expect.stringContaining('EEXIST') },
      { process: ios, reason: expect.stringContaining('cannot be part of the name') },
    ]);
  });

  it.each(['BASH_ENV', 'LD_PRELOAD', 'PATH', 'PYTHONPATH', 'NODE_OPTIONS', '_JAVA_OPTIONS', 'A=1\nLD_PRELOAD'])(
    'starts nothing with the variable %s, which could have the host run something else',
    async (name) => {
      const keeper = aKeeper();
      startedBy(keeper);
      const others = ['MERO_S3SERVER_PORT', 'LDAP_HOST', 'ENVIRONMENT', 'NODENAME'].map((other) => ({ name: other, value: '1' }));
      keeper.desired(1, [
        aDesired({ environment: [{ name, value: '$(id >/tmp/found)' }] }),
        aDesired({ process: ios, environment: others }),
      ]);
      await passUntil('both are said', () => types().length === 4);
      expect([done, existsSync(join(place, 'sysconfig', `m0d-${confd}`))]).toEqual([[`start ${ios}`], false]);
      expect(heard.flat().find(({ type }) => type === 'process.failed')?.data).toEqual({
        process: confd,
        reason: expect.stringContaining(`no process with the variable “${name}”`),
      });
    },
  );

  it('goes on without Muster, and loses no word when it is killed: the next says the same under the same ids, in order', async () => {
    answers = () => ({ ok: false, status: 0 });
    const keeper = aKeeper();
    const first = startedBy(keeper);
    keeper.desired(1, [aDesired()]);
    await passUntil('it is online', () => keeper.table().processes[0]?.state === 'online');
    expect([done, heard]).toEqual([[`start ${confd}`], []]);
    first.stop();

    const after = aKeeper();
    expect(after.table().processes).toEqual([{ process: confd, ...own, state: 'online' }]);
    expect(after.hash()).toBe(keeper.hash());
    answers = () => ({ ok: true });
    startedBy(after, 2);
    await passUntil('both are said', () => types().length === 2);
    expect(heard.flat().map(({ id, type, incarnation, seq }) => ({ id, type, incarnation, seq }))).toEqual([
      { id: 'table0abcd-1', type: 'process.starting', incarnation: 2, seq: 1 },
      { id: 'table0abcd-2', type: 'process.started', incarnation: 2, seq: 2 },
    ]);
    expect(done).toEqual([`start ${confd}`]);
  });

  it('says of an agent before what still lives, and that the rest has ended', async () => {
    const keeper = aKeeper();
    const first = startedBy(keeper);
    keeper.desired(1, [aDesired(), aDesired({ process: ios })]);
    await passUntil('both are online', () => types().length === 4);
    first.stop();
    // What is on record of the second is of another boot.
    const file = join(place, 'home', 'processes.json');
    const table = JSON.parse(readFileSync(file, 'utf8')) as { held: { process: string; life: Life }[] };
    for (const held of table.held) if (held.process === ios) held.life = { ...own, born: 'ffffffff.1' };
    writeFileSync(file, JSON.stringify(table));
    running.delete(ios);

    const after = aKeeper();
    expect(after.table().processes.map(({ process: fid }) => fid)).toEqual([confd]);
    heard = [];
    startedBy(after, 2);
    await passUntil('its end is said', () => types().length > 0);
    await pass(5_000);
    expect(heard.flat().map(({ type, data }) => [type, data.process])).toEqual([['process.stopped', ios]]);
    expect(done.sort()).toEqual([`start ${confd}`, `start ${ios}`]);
  });

  it('drops what Muster will never take, and nothing else', async () => {
    answers = (events) =>
      events.some(({ data }) => data.process === ios) ? { ok: false, status: 403, problem: 'not-owner' } : { ok: true };
    const keeper = aKeeper();
    startedBy(keeper);
    keeper.desired(1, [aDesired(), aDesired({ process: ios })]);
    await passUntil('everything is said', () => said.filter((line) => line.includes('Muster refused a report')).length === 2);
    await pass(2_000);
    const taken = heard.filter((events) => events.every(({ data }) => data.process === confd)).flat();
    expect(taken.map(({ type }) => type)).toEqual(['process.starting', 'process.started']);
    expect(said.filter((line) => line.includes('Muster refused a report'))).toHaveLength(2);
    expect(onDisk().out).toEqual([]);
  });

  it('says nothing before this boot is acknowledged, and the whole table when Muster asks', async () => {
    let incarnation: number | undefined;
    const keeper = aKeeper();
    keeper.start({ api, member: () => (incarnation === undefined ? undefined : { node, incarnation }) });
    keeper.desired(1, [aDesired()]);
    await passUntil('it is online', () => keeper.table().processes[0]?.state === 'online');
    expect(heard).toEqual([]);
    incarnation = 3;
    keeper.heard(true);
    await passUntil('everything is said', () => types().length === 3);
    expect(types()).toEqual(['process.starting', 'process.started', 'node.table']);
    expect(heard.flat().at(-1)!.data).toEqual({ hash: keeper.hash(), processes: [{ process: confd, ...own, state: 'online' }] });
  });

  it('says the whole table once more after words that waited for this boot to be acknowledged, and only after such', async () => {
    let incarnation: number | undefined;
    const keeper = aKeeper();
    const kept = new Workloads({ processes: keeper });
    kept.start({ api, member: () => (incarnation === undefined ? undefined : { node, incarnation }) });
    keeper.desired(1, [aDesired()]);
    await passUntil('it is online', () => keeper.table().processes[0]?.state === 'online');

    incarnation = 3;
    kept.acknowledged();
    await passUntil('everything is said', () => types().length === 2);
    kept.heard(false);
    await passUntil('the table is said', () => types().length === 3);
    expect(types()).toEqual(['process.starting', 'process.started', 'node.table']);

    kept.heard(false);
    incarnation = 4;
    kept.acknowledged();
    kept.heard(false);
    await pass(2_000);
    expect(types()).toHaveLength(3);
  });

  it('does not begin on a folder that is damaged, whose processes it would not know', () => {
    folder().write('processes.json', '{"version":1');
    expect(() => aKeeper()).toThrow(/is damaged: restore it from a backup/);
  });
});

describe('a launcher', () => {
  it('is heard by the agent that runs, and told what that makes of it', async () => {
    const keeper = aKeeper();
    startedBy(keeper);
    keeper.desired(1, [aDesired({ goal: 'watch' }), aDesired({ process: ios })]);
    await pass(1_000);
    const tell = (fid: Fid, is: 'STARTED' | 'STOPPED', pid?: number) =>
      reportProcess(folder(), { fid, is, ...(pid !== undefined && { pid }) });
    expect(await tell(confd, 'STARTED', process.pid)).toMatchObject({ code: 69 });
    const unhear = hearLaunchers({ folder: folder(), keeper, lives, say: (line) => said.push(line), limitMs: 200 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(statSync(join(place, 'home', 'agent.sock')).mode & 0o777).toBe(0o600);

    expect(await tell(confd, 'STARTED', process.pid)).toEqual({ code: 0 });
    expect(keeper.table().processes).toContainEqual({ process: confd, ...own, state: 'online' });
    expect(listProcesses(folder(), {}).data).toMatch(new RegExp(`^FID .*\n${confd}  m0d     watch  online +${process.pid} `));
    expect(await tell(confd, 'STOPPED', process.pid + 1)).toEqual({ code: 0 });
    expect(keeper.table().processes).toContainEqual({ process: confd, ...own, state: 'online' });
    expect(await tell(confd, 'STOPPED')).toEqual({ code: 0 });
    expect(keeper.table().processes.map(({ process: fid }) => fid)).not.toContain(confd);

    expect(await tell(confd, 'STARTED', 4_194_304)).toEqual({ code: 2, talk: 'nothing runs under pid 4194304' });
    expect(await tell(ios, 'STOPPED')).toMatchObject({ code: 2, talk: expect.stringContaining('Muster starts and stops') });
    // Whoever says nothing, too much or no word at all, or never comes to an end, harms nobody.
    const path = join(place, 'home', 'agent.sock');
    for (const words of ['', 'x'.repeat(5_000), '{"process":"none"}']) {
      const socket = connect(path).on('error', () => undefined);
      socket.write(words, () => socket.destroy());
      await new Promise((resolve) => socket.once('close', resolve));
    }
    await new Promise((resolve) =>
      connect(path)
        .on('error', () => undefined)
        .once('close', resolve)
        .resume(),
    );
    expect(await tell(confd, 'STOPPED', process.pid)).toEqual({ code: 0 });
    unhear();
    await passUntil('its end is said', () => types().includes('process.stopped'));
    expect(await tell(confd, 'STOPPED')).toMatchObject({ code: 69 });
    const ofConfd = heard.flat().filter(({ data }) => data.process === confd);
    expect(ofConfd.map(({ type }) => type)).toEqual(['process.starting', 'process.started', 'process.stopped']);
  });
});
