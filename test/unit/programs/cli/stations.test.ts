import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hearsOf } from '../../../../events/reported/hears.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { served } from '../../../support/served.ts';
import { ran } from './a-terminal.ts';

const [one, two, three, four] = ['ts1.acme.org', 'ts2.acme.org', 'ts3.acme.org', 'ts4.acme.org'];
const all = `${one} ${two} ${three}`;
const files: Readonly<Record<string, string>> = {
  stations: `${three}\n${one}\n${two} # in any order\n`,
  genders: `ts[1-3].acme.org tracking_station,rack=7\nssu1.acme.org ssu\n`,
  fewer: `${one}\n${two}\n`,
  wrong: `${one}\nlocalhost\n${two} ${three}\n`,
  empty: '# nobody\n',
};
let world: World;
let server: Awaited<ReturnType<typeof served>>;
beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  await world.call('POST', '/api/v1/zones', { name: 'lab', kind: 'storage' });
  server = await served(world);
});
afterEach(() => server.stop());

const cli = (line: string) =>
  ran(`halon station --zone lab ${line}`, { env: { MUSTER_ENDPOINT: server.url }, now: world.now, read: (file) => files[file] });
/** Agents of these hosts, which beat and hear two nodes. */
async function up(...hosts: readonly string[]): Promise<Agent[]> {
  const given = { nodes: '*.acme.org', uses: hosts.length, kind: 'storage', zone: 'lab' };
  const { secret: token } = (await world.call('POST', '/api/v1/node-tokens', given)).body as { secret: string };
  const agents = hosts.map((host) => new Agent(world, host));
  for (const agent of agents) {
    await agent.join({ kind: 'storage', zone: 'lab', token });
    agent.hears = () => hearsOf(8, [0, 1]);
  }
  for (let n = 0; n < 3; n++) {
    for (const agent of agents) await agent.up();
    await world.step(0);
  }
  for (const agent of agents) {
    await agent.say('node.ready');
    agent.beats();
  }
  await world.step(minuteMs / 3);
  return agents;
}

describe('halon station', () => {
  it('names them, and the same hosts again, in any order, from a file or by a host itself, change nothing', async () => {
    expect(await cli('')).toEqual({ code: 0, out: 'zone lab has no stations\n', err: '' });
    expect(await cli(all)).toEqual({
      code: 0,
      err: '',
      out: `the stations are ${one}, ${two}, ${three}; 0 of 3 stations are heard, 2 are needed\nno quorum: 0 of 3, 2 needed\n${[one, two, three].map((host) => `  ${host}: never heard\n`).join('')}`,
    });
    for (const again of [
      `${three} ${one} ${two}`,
      '--hosts-from stations',
      '--hosts-from genders --attribute tracking_station',
      `--self ${two} --hosts-from stations`,
    ])
      expect(await cli(again), again).toMatchObject({ code: 0, out: expect.stringMatching(/^they are in the group already\n/) });
  });

  it('says who is heard and who coordinates', async () => {
    await cli(all);
    await up(one!, two!);
    const { code, out } = await cli('');
    expect(code).toBe(0);
    expect(out).toMatch(/^a majority is heard: 2 of 3, 2 needed; ts1\.acme\.org coordinates, epoch 1\n/);
    expect(out).toMatch(/^ {2}ts1\.acme\.org \(RC\): heard \S+ \(.* ago\), hears 2 nodes$/m);
    expect(out).toContain('  ts3.acme.org: never heard\n');
  });

  it('refuses another list, by how it differs, whether it comes from one place or from a host', async () => {
    await cli(all);
    for (const other of [`${one} ${four}`, `${one} ${four} --json`])
      expect(await cli(other), other).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('ts4.acme.org is new; ts2.acme.org, ts3.acme.org are missing'),
      });
    expect(await cli(`--self ${one} --hosts-from fewer`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('ts3.acme.org is missing'),
    });
    expect((await cli('')).out).toContain('no quorum: 0 of 3');
  });

  it('changes the set with --update, only while a majority of the old one is heard', async () => {
    await cli(all);
    for (const change of [`--update ${one} ${two} ${four}`, '--update --none'])
      expect(await cli(change), change).toMatchObject({
        code: 75,
        out: '',
        err: expect.stringContaining('a change needs a majority of the present stations: 0 of 3 stations are heard, 2 are needed'),
      });
    await up(one!, two!);
    expect(await cli(`--update ${one} ${two} ${four}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('ts4.acme.org: never heard'),
    });
    expect(await cli('--update --none')).toMatchObject({ code: 0, out: expect.stringContaining('zone lab has no stations\n') });
  });

  it('--self names nobody where the file does not name this host: a host that is no station is elected by nobody', async () => {
    expect(await cli('--self ssu1.acme.org --hosts-from stations')).toEqual({ code: 0, out: 'ssu1.acme.org is not a station\n', err: '' });
    expect((await cli('')).out).toBe('zone lab has no stations\n');
    await cli(all);
    await up('ssu1.acme.org', 'ssu2.acme.org');
    expect((await cli('')).out).toContain('no quorum: 0 of 3');
  });

  it('does nothing at all with what cannot be meant', async () => {
    for (const [line, says] of [
      ['--none', '--none needs --update'],
      [`--update --none ${one}`, '--none needs --update, and takes no hosts'],
      ['--update', 'name those of the new set, or give --none'],
      ['--attribute tracking_station', '--attribute needs --hosts-from'],
      [`--self ${one}`, '--self needs --hosts-from'],
      [`--hosts-from stations ${one}`, 'give either hosts or --hosts-from'],
      [Array.from({ length: 16 }, (_, n) => `ts${n}.acme.org`).join(' '), 'at most 15, and 16 are given'],
      ['localhost', 'the name of a host'],
      ['--hosts-from nowhere', 'nowhere does not exist'],
      ['--self localhost --hosts-from stations', 'the name of a host'],
    ] as const)
      expect(await cli(line), line).toMatchObject({ code: 2, out: '', err: expect.stringContaining(says) });
    for (const [file, says] of [
      ['wrong', 'wrong:2: localhost is not a host name\nwrong:3: more than one host on a line'],
      ['empty', 'empty names no host'],
      ['genders', 'genders:1: more than one host on a line'],
      ['genders --attribute nothing', 'genders names no host'],
    ] as const)
      expect(await cli(`--hosts-from ${file}`), file).toMatchObject({ code: 1, out: '', err: expect.stringContaining(says) });
    expect((await cli('')).out).toBe('zone lab has no stations\n');
  });
});
