import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { grantsOf } from '../../infra/grants.ts';
import { type FunctionWiring, wiring } from '../../infra/wiring.ts';
import { Later } from '../../lib/core/errors.ts';
import { minuteMs } from '../../lib/core/time.ts';
import { only } from '../../lib/runtime/direct.ts';
import type { RouteFunction, ScheduleFunction } from '../../lib/runtime/function.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { loadFunctions } from '../../programs/local/functions.ts';
import { Agent, Daemon } from '../../tools/support/players.ts';
import { stepped, type World } from '../../tools/support/stepped.ts';
import { stories } from '../golden/stories/all.ts';
import { aClientSystemFallsSilent } from '../golden/stories/clients.ts';
import { Cast } from '../scenario/cast.ts';
import { perform } from '../scenario/lines.ts';
import { namedResources } from '../support/granted-resources.ts';
import { mayWrite } from '../support/iam.ts';
import { asking } from './asked-of-aws.ts';
import { rolePolicies } from './role-policies.ts';
import { synthesized } from './synthesized.ts';

/*
 * Grants are compared with what functions really do: every story of the project is told once more, and each call of a
 * port is also made of the adapter on AWS, whose commands say what IAM would be asked. What is asked and not granted,
 * and what is granted and never asked, is an error.
 */

/**
 * What Lambda and DynamoDB ask in a function's name, without a call in our code: logs, encryption, its queue, the
 * stream, late records.
 */
const notAskedByCode =
  /^(logs|kms):|^s3:.* on late|^sqs:(ReceiveMessage|DeleteMessage) |^sqs:SendMessage on undelivered$|^dynamodb:.* on stream$/;

/** Granted, and not asked in any story: why it is needed all the same. */
const rests = 'A plan checks every row that it rests on and leaves alone; which those are is up to the plan.';
const letters =
  'A dead letter is given back to where it came from (test/unit/dead-letters/orders.test.ts, test/unit/runtime/redrive-image.test.ts).';
const missing = 'Without it S3 answers 403 for an object that is not there, and nobody would know an empty bucket from a closed one.';
const neverAsked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  admin: {
    'events:PutEvents on bus': letters,
    's3:ListBucket on bucket': missing,
  },
  'node-door': { 's3:ListBucket on bucket': missing },
  search: {
    'dynamodb:ConditionCheckItem on table': 'The verb commit has it; what every call of the API writes is one row.',
    's3:ListBucket on bucket': missing,
  },
  heartbeats: {
    'dynamodb:ConditionCheckItem on table': 'The verb commit has it; the plans of heartbeats write every row that they rest on.',
  },
  'status-door': {
    'dynamodb:ConditionCheckItem on table': 'The verb commit has it; a sign of life is one row, and would rest on others in a plan.',
  },
  webhooks: {
    'dynamodb:ConditionCheckItem on table': 'The verb commit has it; a delivery is one row, and would rest on others in a plan.',
  },
  publish: {
    'dynamodb:ConditionCheckItem on table': rests,
    'dynamodb:GetItem on table':
      'An image that can never go out becomes a dead letter, whose row is read first (test/unit/runtime/on-feed.test.ts).',
  },
};

const granted = (fn: FunctionWiring<string>): string[] => {
  const lines = grantsOf(fn, namedResources).flatMap(({ actions, resources }) =>
    actions.flatMap((action) => resources.map((on) => `${action} on ${on}`)),
  );
  return [
    ...new Set(lines.filter((line) => !notAskedByCode.test(line) && line !== `sqs:GetQueueAttributes on queue/${fn.queue}`)),
  ].toSorted();
};

/** What the roles may do, as it is deployed. */
const policies = rolePolicies(synthesized({ context: { functionUrls: 'on' } }).Control);

const watched = new Map<string, ReturnType<typeof asking>>();
const functions = () => new Map([...watched].flatMap(([name, { fn }]) => (name in wiring.functions ? [[name, fn] as const] : [])));
const aWorld = (options: Parameters<typeof stepped>[0] = {}) => stepped({ ...options, functions: functions() });

/** A world whose machines call the functions that have an address of their own there. */
const aDirectWorld = (options: Parameters<typeof stepped>[0] = {}) => {
  const doors = functions();
  for (const [name, { of }] of Object.entries(wiring.direct)) {
    const [own, usual] = [watched.get(name)!.fn, doors.get(of)] as RouteFunction[];
    const handle: RouteFunction['handle'] = async (request, shell) => {
      const reply = await own!.handle(request, shell);
      return reply.status === 404 && reply.body?.includes('this address answers only') ? usual!.handle(request, shell) : reply;
    };
    doors.set(of, { on: 'route', handle });
  }
  return stepped({ ...options, functions: doors, hearsAtOnce: true });
};

beforeAll(async () => {
  const loaded = await loadFunctions();
  for (const [name, fn] of loaded) watched.set(name, asking(fn));
  for (const [name, { of, route }] of Object.entries(wiring.direct))
    watched.set(name, asking(only(loaded.get(of) as RouteFunction, route)));
  await tellScenarios();
  await beatThroughWeather();
  for (const story of Object.values(stories)) await story(await aWorld({ beatMinMs: 300_000, sweepPeriodMs: 60_000 }));
  await runTheDeployment(await aDirectWorld({ slots: 4_096 }));
  await aClientSystemFallsSilent(await aDirectWorld());
}, 120_000);

async function tellScenarios(): Promise<void> {
  const folder = join(import.meta.dirname, '../scenario');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
    const cast = new Cast(await aDirectWorld({ zoneMaxAgeMs: 250 }));
    for (const text of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')) {
      if (text !== '' && !text.startsWith('#')) await perform(cast, text);
      await cast.world.step(0);
    }
  }
}

/** A heartbeat that the table is too busy for goes by the queue. */
async function beatThroughWeather(): Promise<void> {
  const world = await aDirectWorld();
  const node = await new Agent(world, 'node1.acme.org').start();
  const { commit } = world.table;
  world.table.commit = () => Promise.reject(new Later('table.throttled', 'too much at once'));
  expect(await node.beat()).toMatchObject({ status: 200 });
  world.table.commit = commit;
  // A client system that no node sees shows a sign of life by its token once an hour.
  const daemon = new Daemon(world, 'web1.acme.org');
  await daemon.onboarded();
  await world.step(61 * minuteMs);
  expect((await daemon.status()).status).toBe(200);
}

/**
 * What an operator does that no story tells: every list, the settings, the keys, a letter of the feed, the rule of the
 * schedule.
 */
async function runTheDeployment(world: World): Promise<void> {
  const node = await new Agent(world, 'node1.acme.org').start();
  const web1 = new Daemon(world, 'web1.acme.org');
  await web1.onboarded();
  expect((await node.call('GET', `/nodes/${node.id}/systems?revisions=true`)).status).toBe(200);
  const debug = ['queues', 'rules', 'zones/default/debug', `nodes/${node.id}/debug`];
  for (const path of [
    'status',
    'nodes',
    'systems',
    'zones',
    'settings',
    'dead-letters',
    'token-keys',
    'audit/verify',
    'systems?limit=1',
    ...debug,
  ])
    expect([path, (await world.call('GET', `/api/v1/${path}`)).status]).toEqual([path, 200]);
  // A node that somebody is pinned to is not removed; whoever asks is told who it is.
  await world.call('POST', '/api/v1/systems/pin', { systems: [web1.fp], node: node.id });
  const refused = await world.call('POST', `/api/v1/nodes/${node.id}/remove`, {});
  expect((refused.body as { detail: string }).detail).toContain('web1.acme.org waits for node1.acme.org');
  await world.call('POST', '/api/v1/systems/unpin', { systems: [web1.fp] });
  await world.call('POST', '/api/v1/token-keys/rotate', {});
  await world.call('POST', '/api/v1/token-keys/rotate', { of: 'audit' });
  await world.call('PATCH', '/api/v1/settings', { beatMinMs: 20_000 });
  await world.call('POST', '/api/v1/webhooks', { url: 'https://hooks.acme.org/' });
  await world.queue.sendFromBus('webhooks', JSON.stringify(world.bus.published[0]));
  await world.step(0);
  const [webhook] = ((await world.call('GET', '/api/v1/webhooks')).body as { items: { id: string }[] }).items;
  const since = new Date(world.now() - 3_600_000).toISOString();
  expect((await world.call('POST', `/api/v1/webhooks/${webhook!.id}/replay`, { since })).body).toEqual({ replayed: 1 });
  // A map of several pages moves by deltas, which readers then ask for.
  await new Agent(world, 'node2.acme.org').start();
  await world.step(60_000);
  await web1.status();
  await new Daemon(world, 'web2.acme.org').onboarded();
  await searchAndStore(world);
  const sweep = watched.get('sweep')!.fn as ScheduleFunction;
  await sweep.handle('rule', world.environment('sweep'));
}

/** The index of searches is stored, and once more when what it named has gone; whoever searches reads it. */
async function searchAndStore(world: World): Promise<void> {
  const store = watched.get('store-index')!.fn as ScheduleFunction;
  const unasked = (): Shell => {
    const shell = world.environment('store-index');
    return { ...shell, settings: { ...shell.settings, indexesUnasked: true } };
  };
  await world.environment('store-index').objects!.write('segment-of-before', new Uint8Array(1));
  await store.handle('rule', unasked());
  await world.step(11 * minuteMs);
  await new Daemon(world, 'web3.acme.org').onboarded();
  await world.step(0);
  await store.handle('rule', unasked());
  expect((await world.environment('store-index').objects!.list()).map(({ name }) => name)).toEqual(['index']);
  for (const name of ['search', 'admin']) world.environment(name).caches.clear();
  expect((await world.call('GET', '/api/v1/systems/find?q=web3')).body).toMatchObject({ total: 1 });
  expect((await world.call('GET', '/api/v1/status?counts=yes')).status).toBe(200);
  const key = (await world.call('POST', '/api/v1/keys', { name: 'robot', scopes: ['read'], zones: ['default'] })).body as {
    secret: string;
  };
  const by = (secret: string) => ({ authorization: `Bearer ${secret}` });
  expect((await world.call('GET', '/api/v1/systems/find?limit=1', undefined, by(key.secret))).body).toHaveProperty('next');
  expect((await world.call('GET', '/api/v1/systems/find', undefined, by(`${key.secret}0`))).status).toBe(401);
}

describe.each(Object.entries<FunctionWiring<string>>({ ...wiring.functions, ...wiring.direct }))('the function %s', (name, fn) => {
  it('asks AWS for nothing that it is not granted', () => {
    const may = new Set(granted(fn));
    expect([...watched.get(name)!.asked].filter((line) => !may.has(line))).toEqual([]);
  });
  it('is granted nothing that it does not ask for, but for a reason', () => {
    const { asked } = watched.get(name)!;
    const reasons = neverAsked[name] ?? {};
    expect(granted(fn).filter((line) => !asked.has(line))).toEqual(Object.keys(reasons).toSorted());
    for (const reason of Object.values(reasons)) expect(reason.length).toBeGreaterThan(20);
  });
  it('writes nothing that the conditions of its role would refuse', () => {
    const { written } = watched.get(name)!;
    expect(written.size > 0).toBe(fn.writes !== undefined);
    expect([...written].filter((pk) => !mayWrite(policies[name]!, [pk]))).toEqual([]);
  });
});
