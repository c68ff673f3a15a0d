import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { fidOf } from '../../../../lib/core/fid.ts';
import type { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import { ran } from './a-terminal.ts';
import { against } from './against.ts';
import { type Answers, NoAnswer } from './fake-deployment.ts';
import { sample, sampleHosts, underWay } from './mero-status.ts';

const pools = { pools: [{ fid: fidOf('pool', 0x41), id: 'tier1-nvme' }], profiles: [{ fid: fidOf('profile', 0x42), id: 'default' }] };
const yes = { done: true, because: 'an operator set the cluster to ONLINE' };

/** A cluster that is in these states, one after another; in the last of them it stays. */
function inTurn(...all: readonly (MeroStatus | Refusal | NoAnswer)[]): Pick<Answers, 'meroStatus'> {
  let n = 0;
  return {
    meroStatus: () => {
      const next = all[Math.min(n++, all.length - 1)]!;
      if (next instanceof Refusal || next instanceof NoAnswer) throw next;
      return next;
    },
  };
}

/** A terminal whose clock goes on by whatever is waited. */
function clock(): { now: () => number; sleep: (ms: number) => Promise<void> } {
  let now = Date.parse('2026-05-01T12:00:00Z');
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
}

describe('mero status', () => {
  it.each([
    ['mero status --zone storage', 'mero-status', sample({ hosts: sampleHosts as never })],
    ['mero status --zone storage -d', 'mero-status-devices', sample({ ...pools, hosts: sampleHosts as never })],
    ['mero status --zone storage', 'mero-status-under-way', { ...underWay('ONLINE', 1, 2, 3, true), hosts: [] }],
  ])('%s › looks as recorded in %s', async (line, name, status) => {
    const { out, err, code } = await against(inTurn(status as MeroStatus), line);
    expect([err, code]).toEqual(['', 0]);
    await expect(out).toMatchFileSnapshot(`golden/${name}.out`);
  });

  it('has the tags of stations behind Halon’s own process, and behind a host that has none', async () => {
    const [client, cmu, ssu] = sampleHosts as { host: string; processes: { type: string }[] }[];
    const hosts = [
      client,
      { ...cmu, station: true },
      { ...ssu, station: true, processes: ssu!.processes.filter(({ type }) => type !== 'halon') },
    ];
    const { out } = await against(inTurn(sample({ coordinator: cmu!.host as never, hosts: hosts as never })), 'mero status --zone storage');
    const tagged = out.split('\n').filter((line) => /\((RC|TS)\)/.test(line));
    expect(tagged.map((line) => line.split(/\s{2,}/).at(-1))).toEqual(['172.28.128.3@tcp:12345:34:101 halon (RC)', 'ssu1.acme.org (TS)']);
  });

  it('stands in columns: the state is the second word, the fid the third, host or endpoint the fourth, the type the fifth', async () => {
    const { out } = await against(inTurn(sample({ hosts: sampleHosts as never })), 'mero status --zone storage');
    const words = out
      .split('\n')
      .filter((line) => line.startsWith('  ['))
      .map((line) =>
        line
          .replace('[ ', '[')
          .split(/[\s[\]]+/)
          .filter(Boolean),
      );
    expect(words[0]).toEqual(['online', '0x6e00000000000001:0x9', 'client1.acme.org']);
    expect(words[1]).toEqual(['online', '0x7200000000000001:0xa', '172.28.128.6@tcp:12345:34:101', 'halon']);
    expect(words[8]).toEqual(['online', '0x7300000000000001:0x2f', 'CST_RMS', '(principal)']);
  });

  it('says what is missing where nothing is loaded, and that is no failure', async () => {
    const { loaded: _none, ...empty } = sample({ disposition: 'OFFLINE', level: -1, reached: -1 });
    expect(await against(inTurn({ ...empty, hosts: [] }), 'mero status --zone storage')).toMatchObject({
      out: 'Cluster disposition: OFFLINE\nCoordinator: muster\nCluster information is not available, load initial data first.\n',
      code: 0,
    });
  });

  it('is put together from pages', async () => {
    const [one, two, three] = sampleHosts as never[];
    const answers = inTurn(sample({ hosts: [one!, two!], next: 'on' }), sample({ hosts: [three!] }));
    const { out, routes } = await against(answers, 'mero status --zone storage --json');
    expect(routes).toEqual(['meroStatus', 'meroStatus']);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(sample({ hosts: sampleHosts as never }))));
  });
});

describe('mero start', () => {
  const start = { startMero: () => yes };

  it('waits until all is there, and talks about it on a terminal only', async () => {
    const states = [underWay('ONLINE', 0, 0), underWay('ONLINE', 1, 2), sample()];
    const quiet = await against({ ...start, ...inTurn(...states) }, 'mero start --zone storage', clock());
    expect(quiet).toMatchObject({ out: 'Cluster started successfully.\n', err: '', code: 0 });
    const shown = await against({ ...start, ...inTurn(...states) }, 'mero start --zone storage', {
      ...clock(),
      rewrites: true,
      columns: 60,
    });
    expect(shown.err).toContain('\r\u001b[2KRun level 1, 2 of 4 processes online. ONLINE, level 1 of 3');
  });

  it('names whom it waits for when that takes too long, and fails', async () => {
    const late = await against({ ...start, ...inTurn(underWay('ONLINE', 1, 2)) }, 'mero start --zone storage --timeout 5s', clock());
    expect(late).toMatchObject({
      out: 'Cluster failed to start on time. Still waiting for following processes:\n  0x7200000000000001:0x31 on ssu1.acme.org (starting)\n  and 2 more\n',
      code: 1,
    });
    expect(late.err).toContain('the cluster has not started in time, and continues to start');
    expect(late.routes.filter((route) => route === 'meroStatus')).toHaveLength(6);
  });

  it('has not started while no majority of the stations is heard, although all was there before', async () => {
    const noQuorum = '1 of 3 stations is heard, 2 are needed; levels stay as they are';
    const late = await against({ ...start, ...inTurn(sample({ noQuorum })) }, 'mero start --zone storage --timeout 5s', clock());
    expect(late).toMatchObject({ out: `Cluster failed to start on time: ${noQuorum}\n`, code: 1 });
    const found = await against({ ...start, ...inTurn(sample({ noQuorum }), sample()) }, 'mero start --zone storage', clock());
    expect(found).toMatchObject({ out: 'Cluster started successfully.\n', code: 0 });
  });

  it('fails when somebody stops the cluster meanwhile, and when nothing is loaded', async () => {
    const turned = await against(
      { ...start, ...inTurn(underWay('ONLINE', 1, 2), underWay('OFFLINE', 0, 2)) },
      'mero start --zone storage',
      clock(),
    );
    expect(turned).toMatchObject({ out: 'The cluster was stopped meanwhile.\n', code: 1 });
    const refusal = () => {
      throw new Refusal('refused', 'Initial data not loaded.');
    };
    expect(await against({ startMero: refusal }, 'mero start --zone storage')).toMatchObject({
      err: expect.stringContaining('Initial data not loaded.'),
      code: 1,
    });
  });

  it('goes on waiting while Muster is restarted, and says so once', async () => {
    const away = Array.from({ length: 40 }, () => new NoAnswer());
    const states = [underWay('ONLINE', 0, 0), ...away, new Refusal('busy', 'the table is busy'), underWay('ONLINE', 1, 2), sample()];
    const { out, err, code } = await against({ ...start, ...inTurn(...states) }, 'mero start --zone storage --timeout 5s', clock());
    expect([out, code]).toEqual([
      'Cluster failed to start on time. Still waiting for following processes:\n  0x7200000000000001:0x31 on ssu1.acme.org (starting)\n  and 2 more\n',
      1,
    ]);
    expect(err).toMatch(
      /^GET http:.* Waiting at most a minute for Muster to answer again\nMuster answers again\nmuster: the cluster has not/,
    );
    const whole = await against({ ...start, ...inTurn(...states) }, 'mero start --zone storage', clock());
    expect(whole).toMatchObject({ out: 'Cluster started successfully.\n', code: 0 });
  });

  it('gives up when Muster does not answer for a minute', async () => {
    const gone = await against({ ...start, ...inTurn(underWay('ONLINE', 0, 0), new NoAnswer()) }, 'mero start --zone storage', clock());
    expect(gone).toMatchObject({ out: '', code: 69 });
    expect(gone.routes.filter((route) => route === 'meroStatus')).toHaveLength(62);
    const busy = await against({ ...start, ...inTurn(new Refusal('busy', 'the table is busy')) }, 'mero start --zone storage', clock());
    expect(busy.code).toBe(75);
  });

  it('does not wait when it is told so', async () => {
    expect(await against(start, 'mero start --zone storage --async')).toMatchObject({
      out: `${yes.because}\n`,
      code: 0,
      routes: ['startMero'],
    });
  });
});

describe('mero stop', () => {
  const sent: unknown[] = [];
  const stop = (done: boolean): Answers => ({
    stopMero: ({ body }) => {
      sent.push(body);
      return { done, because: done ? 'an operator set the cluster to OFFLINE' : 'the cluster is already set to OFFLINE' };
    },
  });
  const stopped = sample({ disposition: 'OFFLINE', level: -1, reached: -1, managed: { all: 4, online: 0, running: 0 } });

  it('shows how much has stopped, and says why it was asked', async () => {
    const states = [underWay('OFFLINE', 2, 4), underWay('OFFLINE', 1, 3), underWay('OFFLINE', 0, 1), stopped];
    const { out, err, code } = await against(
      { ...stop(true), ...inTurn(...states) },
      'mero stop --zone storage --force --reason racks',
      clock(),
    );
    expect([out, code]).toEqual(['Cluster stopped successfully\n', 0]);
    expect(err).toBe('Cluster disposition: ONLINE -> OFFLINE\nProgress: 0% -> 25%\nProgress: 25% -> 75%\nProgress: 75% -> 100%\n');
    expect(sent.at(-1)).toEqual({ force: true, reason: 'racks' });
  });

  it('says what may still run where nobody hears it', async () => {
    const { out, err, code } = await against({ ...stop(true), ...inTurn({ ...stopped, unheard: 2 }) }, 'mero stop --zone storage', clock());
    expect([out, code]).toEqual(['Cluster stopped successfully\n', 0]);
    expect(err).toContain('Unknown, because their hosts are silent: 2 of 4 processes. They stop once these hosts are heard again\n');
  });

  it('says so when there is nothing to stop, and when it gives up waiting', async () => {
    expect(await against({ ...stop(false), ...inTurn(stopped) }, 'mero stop --zone storage', clock())).toMatchObject({
      out: 'Cluster already stopped\n',
      code: 0,
    });
    const late = await against({ ...stop(true), ...inTurn(underWay('OFFLINE', 1, 2)) }, 'mero stop --zone storage --timeout 2s', clock());
    expect(late).toMatchObject({
      out: expect.stringMatching(/^Giving up on waiting… Still waiting for following processes:\n {2}0x72/),
      code: 1,
    });
  });
});

describe('mero reset', () => {
  const sent: unknown[] = [];
  const answers: Answers = {
    resetMero: ({ body }) => {
      sent.push(body);
      return { done: true, because: 'an operator: forgotten', processes: 4 };
    },
  };

  it('forgets softly; hard it asks first, and unstick forgets nothing', async () => {
    expect(await against(answers, 'mero reset --zone storage')).toMatchObject({ out: 'an operator: forgotten (4 processes)\n', code: 0 });
    expect(await against(answers, 'mero reset --zone storage --unstick')).toMatchObject({ out: 'an operator: forgotten\n', code: 0 });
    expect(await against(answers, 'mero reset --zone storage --hard')).toMatchObject({ code: 2, routes: [] });
    expect(await against(answers, 'mero reset --zone storage --hard --yes')).toMatchObject({ code: 0 });
    expect(sent).toEqual([{ mode: 'soft' }, { mode: 'unstick' }, { mode: 'hard' }]);
    expect(await against(answers, 'mero reset --zone storage --hard --unstick --yes')).toMatchObject({ code: 2, routes: [] });
  });
});

describe('mero update', () => {
  const [process, service] = [fidOf('process', 0x2d), fidOf('service', 0x2e)];

  it('sends what is said, and shows what became of each', async () => {
    let sent: unknown;
    const updateMero: Answers['updateMero'] = ({ body }) => {
      sent = body;
      return { results: [{ fid: process, done: true, because: 'an operator set it to failed' }] };
    };
    const line = `mero update --zone storage --set ${process}@failed:a@b --set ${service}@online`;
    expect(await against({ updateMero }, line)).toMatchObject({ out: `${process} an operator set it to failed\n`, code: 0 });
    expect(sent).toEqual({
      set: [
        { fid: process, state: 'failed:a@b' },
        { fid: service, state: 'online' },
      ],
    });
  });

  it.each(['', '--set', '--set 0x72@online', `--set ${fidOf('process', 1)}@`, `--set ${fidOf('process', 1)}`])(
    '%s › is no usage',
    async (given) => {
      expect(await ran(`mero update --zone storage ${given}`)).toMatchObject({ code: 2 });
    },
  );
});

it.each(['mero status', 'mero start', 'mero stop', 'mero reset', 'mero update', 'mero bootstrap'])(
  'help of `%s` › looks as recorded',
  async (line) => {
    const { out, code } = await ran(`${line} --help`);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`golden/help-${line.replace(' ', '-')}.out`);
  },
);
