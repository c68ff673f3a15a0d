import { gzipSync } from 'node:zlib';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { nameOfBlob } from '../../../lib/uyuni/content/blob.ts';
import { Agent } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';

/** Two people edit common content on one server, which is lost; another is the seat once nothing can be open there. */
export async function commonContentIsEdited(world: World): Promise<void> {
  await world.step(minuteMs);
  const [one, two, three] = ['uyuni1.acme.org', 'uyuni2.acme.org', 'uyuni3.acme.org'].map((fqdn) => new Agent(world, fqdn)) as [
    Agent,
    Agent,
    Agent,
  ];
  for (const agent of [one, two, three]) await agent.join({ kind: 'uyuni' });
  for (let again = 0; again < 3; again++) {
    for (const agent of [one, two, three]) await agent.up();
    await world.step(2 * secondMs);
  }
  for (const agent of [one, two, three]) await agent.say('node.ready');
  const beats = async (agents: readonly Agent[], count: number, everyMs = 15 * secondMs) => {
    for (let beat = 0; beat < count; beat++) {
      for (const agent of agents) await agent.beat();
      await world.step(everyMs);
    }
  };
  await beats([one, two, three], 8);
  const seat = (what: string, body: object) => world.call('POST', `/api/v1/zones/default/seat/${what}`, body);
  await seat('edit', {});
  const { body } = await seat('edit', { login: 'ada', changes: true });
  await seat('edit', { login: 'ada', changes: true });
  const { fqdn } = body as { fqdn: string };
  const others = [one, two, three].filter((agent) => agent.fqdn !== fqdn);
  await beats(others, 6, 4 * minuteMs);
  await seat('edit', { login: 'ada', changes: true });
  await seat('finish', { login: 'ada' });
  await seat('synced', { node: fqdn });
  await seat('edit', { login: 'ben' });
  await seat('end', { because: 'the night shift begins' });
  await world.step(minuteMs);
}

type Orders = {
  readonly content?: { readonly order: string; readonly done?: object };
  readonly export?: { readonly order: string; readonly done?: object };
};

/** The content of a server becomes a revision; one of the others takes it, and one cannot, so that it is stopped. */
export async function commonContentIsTheSame(world: World): Promise<void> {
  await world.step(minuteMs);
  const agents = ['uyuni1.acme.org', 'uyuni2.acme.org', 'uyuni3.acme.org'].map((fqdn) => new Agent(world, fqdn));
  for (const agent of agents) await agent.join({ kind: 'uyuni' });
  for (let again = 0; again < 3; again++) {
    for (const agent of agents) await agent.up();
    await world.step(2 * secondMs);
  }
  for (const agent of agents) await agent.say('node.ready');
  const beats = async (count: number) => {
    for (let beat = 0; beat < count; beat++) {
      for (const agent of agents) await agent.beat();
      await world.step(2 * minuteMs);
    }
  };
  await beats(3);
  const content = (what: string, body: object) => world.call('POST', `/api/v1/zones/default/content/${what}`, body);
  const orderOf = async (agent: Agent) => {
    const { content, export: reading } = (await agent.call('GET', `/nodes/${agent.id}/desired`)).body as Orders;
    return reading ?? content;
  };
  const reports = async (agent: Agent, outcome: object) => {
    const told = await orderOf(agent);
    if (told && !told.done)
      await agent.call('POST', `/nodes/${agent.id}/content`, { incarnation: agent.incarnation, order: told.order, outcome });
  };
  const [first, second, third] = agents as [Agent, Agent, Agent];
  // The content of an empty server.
  const manifest = { format: 1, kinds: ['group'], root: '', entries: 0, parts: [] };
  const bytes = gzipSync(JSON.stringify(manifest));
  const blob = nameOfBlob(bytes);
  const counts = { made: 0, changed: 0, removed: 0, alike: 0, extra: 0 };
  await content('apply', { from: first.fqdn, because: 'the first revision' });
  await beats(1);
  await reports(first, { is: 'failed', why: ['its server does not answer'] });
  await content('apply', { from: first.fqdn, because: 'the first revision, again' });
  await beats(1);
  await first.call('PUT', `/nodes/${first.id}/content/blobs/${blob}`, { bytes: bytes.toString('base64') });
  await reports(first, { is: 'exported', root: '', entries: 0, manifest: [blob] });
  await beats(1);
  for (const agent of [second, third]) await reports(agent, { is: 'failed', why: ['group web: it has members'] });
  await beats(1);
  await content('resume', {});
  for (let wave = 0; wave < 4; wave++) {
    await beats(1);
    for (const agent of [second, third]) await reports(agent, { is: 'applied', root: '', counts });
  }
  await beats(1);
}
