import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GrantedResources, grantsOf } from '../../infra/grants.ts';
import { type FunctionWiring, wiring } from '../../infra/wiring.ts';
import type { ScheduleFunction } from '../../lib/runtime/function.ts';
import { loadFunctions } from '../../local/functions.ts';
import { stories } from '../golden/stories/all.ts';
import { Cast } from '../scenario/cast.ts';
import { perform } from '../scenario/lines.ts';
import { Agent, Daemon } from '../support/players.ts';
import { stepped, type World } from '../support/stepped.ts';
import { asking } from './asked-of-aws.ts';

/*
 * Grants are compared with what functions really do: every story of the project is told once more, and each call of a port is also made of
 * the adapter on AWS, whose commands say what IAM would be asked. What is asked and not granted, and what is granted and never asked, is
 * an error.
 */

const at: GrantedResources<string> = {
  table: 'table',
  index: (name) => `table/${name}`,
  stream: 'stream',
  queue: (name) => `queue/${name}`,
  bus: 'bus',
  secret: 'secret',
  origin: undefined,
  key: 'key',
  undelivered: 'undelivered',
  lateBucket: 'late',
  lateObjects: 'late/*',
  logStreams: 'logs',
};
/** What Lambda and DynamoDB ask in a function's name, without a call in our code: logs, encryption, its queue, the stream, late records. */
const notAskedByCode =
  /^(logs|kms|s3):|^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes) |^sqs:SendMessage on undelivered$|^dynamodb:.* on stream$/;

/** Granted, and not asked in any story: why it is needed all the same. */
const rests = 'A plan checks every row that it rests on and leaves alone; which those are is up to the plan.';
const letters =
  'A dead letter is given back to where it came from (test/unit/api/dead-letter-orders.test.ts, test/unit/runtime/redrive-image.test.ts).';
const neverAsked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  admin: {
    'events:PutEvents on bus': letters,
    'sqs:SendMessage on queue/heartbeats': letters,
  },
  heartbeats: {
    'dynamodb:ConditionCheckItem on table': 'The verb commit has it; a heartbeat writes one row, and would rest on others in a plan.',
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
  const lines = grantsOf(fn, at).flatMap(({ actions, resources }) =>
    actions.flatMap((action) => resources.map((on) => `${action} on ${on}`)),
  );
  return [...new Set(lines.filter((line) => !notAskedByCode.test(line)))].toSorted();
};

const watched = new Map<string, ReturnType<typeof asking>>();
const aWorld = (options: Parameters<typeof stepped>[0] = {}) =>
  stepped({ ...options, functions: new Map([...watched].map(([name, { fn }]) => [name, fn])) });

beforeAll(async () => {
  for (const [name, fn] of await loadFunctions()) watched.set(name, asking(fn));
  await tellScenarios();
  for (const story of Object.values(stories)) await story(await aWorld({ beatMinMs: 300_000, sweepPeriodMs: 60_000 }));
  await runTheDeployment(await aWorld({ slots: 4_096 }));
}, 120_000);

async function tellScenarios(): Promise<void> {
  const folder = join(import.meta.dirname, '../scenario');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
    const cast = new Cast(await aWorld({ zoneMaxAgeMs: 250 }));
    for (const text of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')) {
      if (text !== '' && !text.startsWith('#')) await perform(cast, text);
      await cast.world.step(0);
    }
  }
}

/** What an operator does that no story tells: every list, the settings, the keys, a letter of the feed, the rule of the schedule. */
async function runTheDeployment(world: World): Promise<void> {
  const node = await new Agent(world, 'node1.acme.org').start();
  await new Daemon(world, 'web1.acme.org').onboarded();
  expect((await node.call('GET', `/nodes/${node.id}/systems?revisions=true`)).status).toBe(200);
  for (const path of ['status', 'nodes', 'systems', 'zones', 'settings', 'dead-letters', 'token-keys', 'systems?limit=1'])
    expect([path, (await world.call('GET', `/api/v1/${path}`)).status]).toEqual([path, 200]);
  await world.call('POST', '/api/v1/token-keys/rotate', {});
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
  await new Daemon(world, 'web2.acme.org').onboarded();
  const sweep = watched.get('sweep')!.fn as ScheduleFunction;
  await sweep.handle('rule', world.environment('sweep'));
}

describe.each(Object.entries<FunctionWiring<string>>(wiring.functions))('the function %s', (name, fn) => {
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
});
