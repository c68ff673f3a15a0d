import { contract } from '../../../lib/contract.ts';
import { doneOn } from '../operator.ts';
import { command, scene } from '../stage.ts';
import { apps, hosts } from './hosts.ts';
import { type Stage, service, services, startAgents } from './stage.ts';

const [first, second] = apps as [string, string];
const greeter = { type: 'greeter', host: first };

/** A type of service of one's own: started, asked, killed, and stopped. */
export async function playServices(stage: Stage): Promise<void> {
  await callIn(stage);
  await start(stage);
  await exclude(stage);
  await fail(stage);
  await supervise(stage);
  await stop(stage);
}

async function callIn(stage: Stage): Promise<void> {
  const { cast, watching, measured } = stage;
  await scene(stage, 'five hosts call in', async () => {
    const began = watching.now();
    await startAgents(stage, hosts);
    await watching.until('every node is up', 60_000, async () => {
      const listed = await cast.api(contract.listNodes, { query: {} });
      return (listed.ok && listed.body.items.filter(({ status }) => status === 'up').length === hosts.length) || undefined;
    });
    measured('five agents started → all nodes up', watching.now() - began);
    return [];
  });
}

async function start(stage: Stage): Promise<void> {
  const { cast, watching, measured } = stage;
  await scene(stage, 'a type of service of your own, in ten lines of shell (tools/demo/services/greeter.sh)', () =>
    command(stage, ['service', 'type', 'put', '-f', cast.file('greeter.yaml')]),
  );
  await scene(stage, 'it is started on two nodes, found by its name, and asked', async () => {
    const began = watching.now();
    const ordered = await command(stage, ['halon', 'service', 'greeter', 'start', '-n', first, '-n', second]);
    for (const host of apps) await service(stage, { type: 'greeter', host }, 'is online', ({ state }) => state === 'online');
    measured('two services ordered → both online', watching.now() - began);
    return [
      ...ordered,
      ...(await command(stage, ['service', 'find', 'greeter'], { says: new RegExp(`${first} greeter greeter:\\d+`) })),
      ...(await command(stage, ['halon', 'service', 'greeter', 'check', '-n', first])),
      ...(await command(stage, ['halon', 'service', 'greeter', 'send', 'greet', '-n', first, '-d', '"world"'], { says: /Hello, world!/ })),
    ];
  });
}

/** Forbidden combinations are refused, with the name of what stands in the way. */
async function exclude(stage: Stage): Promise<void> {
  await scene(stage, 'a second type of the same name: a node has one of the two', async () => [
    ...(await command(stage, ['service', 'type', 'put', '-f', stage.cast.file('farewell.yaml')])),
    ...(await command(stage, ['halon', 'service', 'farewell', 'start', '-n', first], {
      code: 1,
      says: /greeter holds the name/,
    })),
  ]);
}

async function fail(stage: Stage): Promise<void> {
  const { cast, watching, measured } = stage;
  await scene(stage, 'it is killed, and started again by rule', async () => {
    const before = await service(stage, greeter, 'is online', ({ state }) => state === 'online');
    const began = watching.now();
    process.kill(before.pid!, 'SIGKILL');
    const after = await service(stage, greeter, 'runs again', ({ state, pid }) => state === 'online' && pid !== before.pid);
    measured('service killed → online again', watching.now() - began);
    return [`greeter of ${first} was pid ${before.pid}, instance ${before.instance}; it is pid ${after.pid}, instance ${after.instance}`];
  });
  await scene(stage, 'its agent is killed and started again: the service has gone on', async () => {
    const before = await service(stage, greeter, 'is online', ({ state }) => state === 'online');
    cast.killAgent(first);
    await service(stage, greeter, 'is inhibited', ({ state }) => state === 'inhibited');
    process.kill(before.pid!, 0);
    const began = watching.now();
    await startAgents(stage, [first]);
    const after = await service(stage, greeter, 'is online', ({ state }) => state === 'online');
    measured('agent started again → its service known again', watching.now() - began);
    if (after.pid !== before.pid || after.instance !== before.instance)
      throw new Error(`greeter of ${first} was started again although it ran`);
    return [`while the agent was away it was shown as inhibited; it is pid ${after.pid} as before`];
  });
}

/** The host whose supervisor watches the greeter of a host; undefined while none does. */
async function supervisorOf({ cast }: Stage, host: string): Promise<string | undefined> {
  const answer = await cast.api(contract.getService, { params: { zone: 'default', type: 'greeter', node: host } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.supervisor?.host;
}

/** Two supervisors, of which one dies: the other takes over all that it watched, and gives it back. */
async function supervise(stage: Stage): Promise<void> {
  const { cast, watching, measured } = stage;
  const watched = (by: string) =>
    watching.until(`${by} watches greeter of ${second}`, 60_000, async () => (await supervisorOf(stage, second)) === by || undefined);
  const watchedNow = async () =>
    (await command(stage, ['service', 'show', 'greeter', second])).filter((line) => /^\$|^ *(state|supervisor)\b/.test(line));
  await scene(stage, 'two supervisors: each watches the services of its own node, and the other supervisor', async () => {
    const started = await command(stage, ['halon', 'service', 'supervisor', 'start', '-n', first, '-n', second]);
    await watched(second);
    return [...started, ...(await watchedNow())];
  });
  await scene(stage, `the agent of ${second} is killed, and its supervisor with it: the other takes over what it watched`, async () => {
    const began = watching.now();
    cast.killAgent(second);
    await watched(first);
    measured('supervisor killed → its set is another’s', watching.now() - began);
    return watchedNow();
  });
  await scene(stage, 'it is started again: what it watched comes home', async () => {
    await startAgents(stage, [second]);
    await watched(second);
    return watchedNow();
  });
}

/** A service that an operator stops stays stopped, also when its agent starts anew. */
async function stop(stage: Stage): Promise<void> {
  const { cast, watching } = stage;
  await scene(stage, 'it is stopped, and stays so when its agent begins anew', async () => {
    const { pid } = await service(stage, greeter, 'is online', ({ state }) => state === 'online');
    const ordered = await command(stage, ['halon', 'service', 'greeter', 'stop', '-n', first]);
    const isGone = async () => !(await services(stage)).some(({ type, host }) => type === 'greeter' && host === first) || undefined;
    await watching.until('it is registered no more', 30_000, isGone);
    cast.killAgent(first);
    await startAgents(stage, [first]);
    const held = await doneOn(cast, first, 'service', 'list');
    if (!(await isGone()) || runs(pid!)) throw new Error(`greeter of ${first} has been started again:\n${held}`);
    return [...ordered, ...(await command(stage, ['service', 'list']))];
  });
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
