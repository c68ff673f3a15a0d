import { describe, expect, it } from 'vitest';
import { type ProblemType, problemOf, problems, Refusal } from '../../../../lib/api/problem.ts';
import { exitCodes, failureOf } from '../../../../programs/cli/exit-codes.ts';
import { problemCodes } from '../../../../programs/cli/problem-codes.ts';
import { Interrupted } from '../../../../programs/cli/terminal.ts';
import { ran } from './a-terminal.ts';
import { against } from './against.ts';
import { type Answers, FakeDeployment } from './fake-deployment.ts';
import { fingerprintOf, pooled } from './views.ts';

const refusing = (type: ProblemType, detail: string, headers = {}): Answers => ({
  getNode: () => {
    throw new Refusal(type, detail, { headers });
  },
});

describe('usage that is none', () => {
  it.each([
    ['nod', "muster: unknown command 'nod'\n(Did you mean node?)\n"],
    ['node lits', "muster: unknown command 'lits'\n(Did you mean list?)\n"],
    ['node list --wid', "muster: unknown option '--wid'\n(Did you mean --wide?)\n"],
    ['node show', "muster: missing required argument 'node'\n"],
    ['node show a b', "muster: too many arguments for 'show'. Expected 1 argument but got 2: a, b.\n"],
    [
      'node show x_',
      "muster: command-argument value 'x_' is invalid for argument 'node'. It must be the id of a node (n and 16 hex digits) or its name.\n",
    ],
    [
      'node leave node7.acme.org --hold',
      'muster: --hold needs --until. Say when the node is expected back: --until 2h, or --until 2026-05-01T18:00:00Z\n',
    ],
    ['node leave node7.acme.org --hold --stay', "muster: option '--hold' cannot be used with option '--stay'\n"],
    [
      'node leave node7.acme.org --until 2026-05-01',
      "muster: option '--until <moment>' argument '2026-05-01' is invalid. It must be a moment such as 2026-05-01T18:00:00Z.\n",
    ],
    [
      'system list --status lost',
      "muster: option '--status <status>' argument 'lost' is invalid. Allowed choices are new, onboarded, orphan, deleted.\n",
    ],
    ['system list --limit 0', "muster: option '--limit <n>' argument '0' is invalid. It must be a number from 1, or `all`.\n"],
    [
      'system show 1234567',
      "muster: command-argument value '1234567' is invalid for argument 'fingerprint'. Give at least 8 hex digits of a fingerprint.\n",
    ],
    [
      'system accept',
      'muster: the command needs fingerprints, --query or --all, and one of these alone. List the keys that wait: onboarding list\n',
    ],
    [
      'system accept --all 12345678',
      'muster: the command needs fingerprints, --query or --all, and one of these alone. List the keys that wait: onboarding list\n',
    ],
    ['dlq redrive', 'muster: the command needs either ids or --code. List dead letters: dlq list\n'],
    ['dlq redrive m1 --code row.busy', 'muster: the command needs either ids or --code. List dead letters: dlq list\n'],
    ['dlq delete --queue reports --yes', 'muster: the command needs either ids or --code. List dead letters: dlq list\n'],
    [
      'dlq show a/b',
      "muster: command-argument value 'a/b' is invalid for argument 'id'. It must be the id of a dead letter, as `dlq list` shows it.\n",
    ],
    [
      'dlq show ..',
      "muster: command-argument value '..' is invalid for argument 'id'. It must be the id of a dead letter, as `dlq list` shows it.\n",
    ],
    [
      'dlq list --code Row_Busy',
      "muster: option '--code <code>' argument 'Row_Busy' is invalid. It must be a code such as wrong-shape, as `dlq list` shows it.\n",
    ],
    ['settings set', 'muster: nothing to set. Give one, such as --beat-min 10s\n'],
    [
      'settings set --beat-min soon',
      "muster: option '--beat-min <span>' argument 'soon' is invalid. It must be a span such as 10s, 5m, 12h or 30d.\n",
    ],
    [
      'explain host x',
      "muster: command-argument value 'host' is invalid for argument 'kind'. Allowed choices are node, system, client, zone, process, service, cluster, stations, site-orders, seat, content.\n",
    ],
    [
      'status --endpoint ftp://x',
      'muster: ftp://x is not a valid address of a deployment. Give one such as http://127.0.0.1:8080 with --endpoint or MUSTER_ENDPOINT\n',
    ],
    [
      'status --endpoint http://me:secret@127.0.0.1:1',
      'muster: the address of a deployment must not contain a user name or password. Give one such as http://127.0.0.1:8080 with --endpoint or MUSTER_ENDPOINT\n',
    ],
    [
      'status --endpoint ftp://me:secret@x',
      'muster: …@x is not a valid address of a deployment. Give one such as http://127.0.0.1:8080 with --endpoint or MUSTER_ENDPOINT\n',
    ],
  ])('%s › says so in one line and exits with 2', async (line, err) => {
    expect(await ran(line)).toEqual({ out: '', err, code: exitCodes.usage });
  });

  it('no command at all › shows the help as talk, not as data', async () => {
    const { out, err, code } = await ran('');
    expect({ out, begins: err.split('\n')[0], code }).toEqual({
      out: '',
      begins: 'Usage: muster [options] [command]',
      code: exitCodes.usage,
    });
  });
});

describe('a refusal of the deployment', () => {
  it.each([
    ['unknown-node', {}, 'muster: no node is called x. List the nodes: node list\n', exitCodes.failed],
    ['refused', {}, 'muster: no node is called x\n', exitCodes.failed],
    ['not-yet', {}, 'muster: no node is called x\n', exitCodes.tryAgain],
    [
      'version-conflict',
      {},
      'muster: no node is called x. It changed after it was read: read it again, and repeat the command\n',
      exitCodes.tryAgain,
    ],
    ['busy', { 'retry-after': '2' }, 'muster: no node is called x. Try again in 2 s\n', exitCodes.tryAgain],
    ['not-owner', {}, 'muster: no node is called x. Ask an administrator for the scope this command needs\n', exitCodes.notAllowed],
    ['invalid', {}, 'muster: no node is called x\n', exitCodes.usage],
    ['unexpected', {}, 'muster: no node is called x. Look for call-1 in the log of Muster\n', exitCodes.failed],
  ] as const)('%s › becomes one line with what to do, and its exit code', async (type, headers, err, code) => {
    expect(await against(refusing(type, 'no node is called x', headers), 'node show node9.acme.org')).toMatchObject({ out: '', err, code });
  });

  it.each(Object.keys(problems) as ProblemType[])('%s › never counts as success', (type) => {
    expect(failureOf(problemOf(new Refusal(type, 'why'), 'call-1')).exitCode).toBeGreaterThan(0);
  });

  it('has one exit code, for a reason, and is tried again only where that may help', () => {
    const all = problemCodes.flatMap(({ problems: types }) => types);
    expect(new Set(all).size).toBe(all.length);
    const left = Object.keys(problems).filter((type) => !all.includes(type as ProblemType));
    expect(left.filter((type) => !type.startsWith('unknown-'))).toEqual([]);
    for (const { because } of problemCodes) expect(because.length).toBeGreaterThan(20);
    const again = problemCodes.flatMap(({ code, problems: types }) => (code === 'tryAgain' ? types : []));
    expect(again.filter((type) => ![409, 412, 429, 503].includes(problems[type][0]))).toEqual([]);
  });

  it.each([
    [409, 1],
    [404, 1],
    [503, 75],
    [403, 77],
    [422, 2],
  ])('that only a newer Muster knows, with status %d › ends with %d', (status, code) => {
    const problem = { type: 'urn:muster:problem:of-tomorrow', title: 'new', status, detail: 'new', instance: 'call-1' };
    expect(failureOf(problem).exitCode).toBe(code);
  });

  it('with a detail that would move the cursor › is shown by its codes', async () => {
    const { err } = await against(refusing('refused', 'so \u001b[2J it is \u202e'), 'node show node9.acme.org');
    expect(err).toBe('muster: so \\u{1b}[2J it is \\u{202e}\n');
  });
});

describe('an order that came to nothing', () => {
  it('because it was done already › is a success, so that scripts may repeat it', async () => {
    const result = await against({ dropNode: () => ({ done: false, because: 'it is dropped already' }) }, 'node drop node7.acme.org --yes');
    expect(result).toMatchObject({ out: 'it is dropped already\n', err: '', code: exitCodes.done });
  });

  const never = { fp: fingerprintOf(2), done: false, because: 'this key never knocked' };
  const later = { fp: fingerprintOf(3), done: false, busy: true, because: 'busy, try again' };
  it.each([
    ['that will never be', [never], exitCodes.failed],
    ['that was busy', [later], exitCodes.tryAgain],
    ['that was busy, beside what will never be', [never, later], exitCodes.tryAgain],
  ] as const)('for one of several %s › shows which, and its exit code tells later from never', async (_why, undone, code) => {
    const results = [{ fp: fingerprintOf(1), done: true, because: 'so it is' }, ...undone];
    const fps = results.map(({ fp }) => fp).join(' ');
    for (const [verb, done] of [
      ['accept', 'accepted'],
      ['ban', 'banned'],
      ['unregister', 'unregistered'],
    ] as const) {
      const ran = await against({ [verb]: () => ({ results }) }, `system ${verb} ${fps} --json --yes`);
      expect({ shown: JSON.parse(ran.out), err: JSON.parse(ran.err), code: ran.code }).toEqual({
        shown: { results },
        err: { error: { message: `${undone.length} of ${results.length} not ${done}`, exitCode: code } },
        code,
      });
    }
  });

  it('for a full zone › says what to do, and that trying again will not help', async () => {
    const because = 'zone default is full: it has about 97 client systems, and its nodes take 97, 97 % of the 100 that they declare';
    const results = [{ fp: fingerprintOf(1), done: false, full: true as const, because }];
    const { err, code } = await against({ accept: () => ({ results }) }, `system accept ${fingerprintOf(1)}`);
    expect({ err, code }).toEqual({
      err: 'muster: 1 of 1 not accepted. See how full the zone is: zone show. Add a node, or raise the capacity of one: node set NODE --capacity N\n',
      code: exitCodes.failed,
    });
  });

  it.each([
    ['none', [pooled(1)], '0badc0de', 'muster: no key that Muster knows begins with 0badc0de. Give the whole fingerprint\n'],
    [
      'several',
      [pooled(1), pooled(1)],
      fingerprintOf(1).slice(0, 9),
      `muster: several keys begin with ${fingerprintOf(1).slice(0, 9)}. Give the whole fingerprint\n`,
    ],
  ])('because %s begins so › bans nothing', async (_how, items, prefix, err) => {
    const result = await against(
      { listSystems: () => ({ items: items.filter(({ fp }) => fp.startsWith(prefix)) }) },
      `system ban ${prefix} --yes`,
    );
    expect(result).toMatchObject({ err, code: exitCodes.failed, routes: ['listSystems'] });
  });
});

describe('many keys that are accepted', () => {
  it('are as many as were done when somebody stops that, which is said', async () => {
    const items = Array.from({ length: 250 }, (_, n) => pooled(n + 1));
    let stop = (): void => undefined;
    const onInterrupt = (then: () => void) => {
      stop = then;
      return () => undefined;
    };
    const accept = ({ body }: { body: unknown }) => {
      stop();
      return { results: (body as { systems: string[] }).systems.map((fp) => ({ fp, done: true, because: 'accepted' })) };
    };
    const { err, code, routes } = await against({ accept, listSystems: () => ({ items }) }, 'system accept --all', { onInterrupt });
    expect(err).toContain('stopped: 200 of 250 accepted; the others are unchanged\n');
    expect([code, routes.filter((route) => route === 'accept').length]).toEqual([exitCodes.interrupted, 1]);
  });
});

describe('what cannot be undone', () => {
  const line = 'node drop node7.acme.org';

  it('without a terminal and without --yes › is refused', async () => {
    const { err, code, routes } = await against({}, line);
    expect({ err, code, routes }).toEqual({
      err: 'muster: Drop node7.acme.org? Its client systems move to other nodes, and it must join as a new node. No terminal is attached to confirm it. Confirm with --yes\n',
      code: exitCodes.usage,
      routes: [],
    });
  });

  it.each(['', 'n', 'yess'])('answered with %j › is not done', async (answer) => {
    expect(await against({}, line, { ask: async () => answer })).toMatchObject({
      err: 'muster: nothing was done\n',
      code: exitCodes.failed,
    });
  });

  it('answered with Ctrl-C › ends with 130, silently', async () => {
    const ask = () => Promise.reject(new Interrupted('Ctrl-C'));
    expect(await against({}, line, { ask })).toMatchObject({ out: '', err: '', code: exitCodes.interrupted });
  });
});

describe('a deployment that is not there', () => {
  it('exits with 69 and says how to start or find one', async () => {
    const { url } = await gone();
    expect(await ran(`status --endpoint ${url}`)).toEqual({
      out: '',
      err: `muster: GET ${url}/api/v1/status: ECONNREFUSED. Is Muster running there? Start it with npm start, or give its address with --endpoint or MUSTER_ENDPOINT\n`,
      code: exitCodes.unreachable,
    });
  });
});

async function gone(): Promise<{ url: string }> {
  const fake = await FakeDeployment.start({});
  await fake.stop();
  return { url: fake.url };
}

describe('a fingerprint that is none', () => {
  it('is refused in one line before anything is asked', async () => {
    expect(await against({}, 'explain system 1234567')).toMatchObject({
      err: 'muster: Give at least 8 hex digits of a fingerprint.\n',
      code: exitCodes.usage,
      routes: [],
    });
  });
});
