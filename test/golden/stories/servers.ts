import { minuteMs } from '../../../lib/core/time.ts';
import { minionTextFingerprintsOf } from '../../../lib/identity/fingerprint.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';
import { nodesUp } from './nodes.ts';

/** What changes on the Uyuni server of a node is reported, once more after an answer was lost, and anew by an agent that remembers nothing. */
export async function whatChangesOnAServer(world: World): Promise<void> {
  const [node] = await nodesUp(world, 1);
  const report = (source: string, seq: number, ...changes: object[]) =>
    node?.call('POST', `/nodes/${node.id}/changes`, { incarnation: node.incarnation, source, seq, changes });
  await report('source-of-node1', 1, { kind: 'everything', why: 'nothing is remembered of what was read before' });
  await world.step(minuteMs);
  const systems = { kind: 'system', things: [[1_000_010_000, 'web1.acme.org'], [1_000_010_001]] };
  const bulk = [{ source: 'rhnchannelpackage', op: 'INSERT', count: 41_200, digest: '-4410883120923518111' }];
  await report('source-of-node1', 2, systems, { kind: 'channel', things: [[101, 'sles15-sp6-pool-x86_64']], bulk });
  await report('source-of-node1', 2, systems, { kind: 'channel', things: [[101, 'sles15-sp6-pool-x86_64']], bulk });
  await world.step(minuteMs);
  await report('source-made-anew', 1, { kind: 'errata' });
  await world.step(10 * minuteMs);
}

/** The systems of a server are adopted with it, and the daemon of one of them knocks for the first time. */
export async function systemsAreAdopted(world: World): Promise<void> {
  const [node] = await nodesUp(world, 1);
  if (!node) return;
  const { body } = await world.call('POST', `/api/v1/nodes/${node.id}/adoption`, {});
  const { order } = body as { order: string };
  const offered = ['web1.acme.org', 'web2.acme.org'].map((minion, n) => {
    const { publicKey, fingerprint: fp } = minionKeyOf(minion);
    return {
      minion,
      fp,
      ofText: minionTextFingerprintsOf(publicKey),
      name: minion,
      machineId: `machine-${minion}`,
      number: 1_000_010_000 + n,
    };
  });
  const report = (systems: readonly object[], more: object = {}) =>
    node.call('POST', `/nodes/${node.id}/adoption`, { incarnation: node.incarnation, order, total: 2, systems, ...more });
  await report(offered.slice(0, 1));
  await world.step(minuteMs);
  await report(offered, { end: {} });
  await world.step(minuteMs);
  const daemon = new Daemon(world, 'web1.acme.org');
  await daemon.knock({ minion: minionOf('web1.acme.org', minionKeyOf('web1.acme.org'), daemon.fp) });
  await world.step(10 * minuteMs);
}

/** The one system of a server is adopted. */
async function adoptOne(world: World, node: Agent, minion: string): Promise<void> {
  const { body } = await world.call('POST', `/api/v1/nodes/${node.id}/adoption`, {});
  const { order } = body as { order: string };
  const { publicKey, fingerprint: fp } = minionKeyOf(minion);
  const system = {
    minion,
    fp,
    ofText: minionTextFingerprintsOf(publicKey),
    name: minion,
    machineId: `machine-${minion}`,
    number: 1_000_010_000,
  };
  const { incarnation } = node;
  await node.call('POST', `/nodes/${node.id}/adoption`, { incarnation, order, total: 1, systems: [system], end: {} });
  await world.step(minuteMs);
}

/** The systems of the first server keep its ids, those of the next are given others, and a machine keeps its id when it is installed anew. */
export async function clusterIdsAreGiven(world: World): Promise<void> {
  for (const [n, node] of (await nodesUp(world, 2)).entries()) await adoptOne(world, node, `web${n + 1}.acme.org`);
  const daemon = new Daemon(world, 'web1.acme.org');
  await daemon.knock({ minion: minionOf('web1.acme.org', minionKeyOf('web1.acme.org'), daemon.fp) });
  const old = await new Daemon(world, 'db1.acme.org').accepted();
  await world.step(minuteMs);
  const anew = new Daemon(world, 'db1-anew.acme.org');
  await anew.knock();
  await world.call('POST', `/api/v1/systems/${old.fp}/replace`, { by: anew.fp });
  await world.step(10 * minuteMs);
}

/** A server reboots a client system on an order, fails to, and its agent reports that once more. */
export async function clientSystemsAreActedOn(world: World): Promise<void> {
  const node = await new Agent(world, 'node1.acme.org').start({ kind: 'uyuni' });
  await adoptOne(world, node, 'web1.acme.org');
  const systems = [minionKeyOf('web1.acme.org').fingerprint];
  const { body } = await world.call('POST', '/api/v1/systems/act', { systems, action: { do: 'reboot' } });
  const { action } = body as { action: number };
  const call = (path: string, more: object) =>
    node.call('POST', `/nodes/${node.id}/actions/${action}${path}`, { incarnation: node.incarnation, ...more });
  await call('/take', {});
  await node.call('GET', `/nodes/${node.id}/actions/${action}/systems`);
  const counts = { done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0, examples: [] };
  await call('', { seq: 1, state: 'scheduled', id: 41, ...counts });
  await world.step(minuteMs);
  const examples = [{ fp: systems[0], is: 'failed', why: 'it is locked' }];
  await call('', { seq: 2, state: 'ended', id: 41, ...counts, failed: 1, examples });
  await call('', { seq: 2, state: 'ended', id: 41, ...counts, failed: 1, examples });
  await world.call('GET', `/api/v1/system-actions/${action}`);
  await world.step(minuteMs);
}

/** A person enters the server of a node by a ticket that is brought twice, and another comes too late. */
export async function aServerIsEntered(world: World): Promise<void> {
  const node = await new Agent(world, 'node1.acme.org').start({ kind: 'uyuni' });
  const enter = async (): Promise<string> => {
    const { body } = await world.call('POST', `/api/v1/nodes/${node.id}/enter`, { path: '/rhn/systems/Overview.do' });
    return (body as { ticket: string }).ticket;
  };
  const call = (path: string, body: object) =>
    node.call('POST', `/nodes/${node.id}/tickets${path}`, { incarnation: node.incarnation, ...body });
  const [ticket, late] = [await enter(), await enter()];
  await call('', { ticket });
  await call('', { ticket });
  await call(`/${ticket.split('_')[1]}/entry`, { entry: { login: 'alice' } });
  await world.step(minuteMs);
  await call('', { ticket: late });
  await world.step(minuteMs);
}

/** A gateway numbers what two servers have scheduled, follows it, and offers it once more. */
export async function actionsAreNumbered(world: World): Promise<void> {
  const servers: Agent[] = [];
  for (const fqdn of ['node1.acme.org', 'node2.acme.org']) servers.push(await new Agent(world, fqdn).start({ kind: 'uyuni' }));
  const { body } = await world.call('POST', '/api/v1/actions/numbers', { count: 2 });
  const [one, other] = (body as { numbers: { number: number; proof: string }[] }).numbers;
  const { number, proof } = one!;
  const parts = servers.map(({ fqdn }, n) => ({ node: fqdn, id: 41 + n }));
  await world.call('PUT', `/api/v1/actions/${number}`, { proof, parts });
  await world.call('PUT', `/api/v1/actions/${number}`, { proof, parts });
  await world.call('PUT', `/api/v1/actions/${number}`, { proof, parts: parts.slice(0, 1) });
  await world.call('GET', `/api/v1/actions/${number}`);
  await world.call('GET', `/api/v1/actions/${other!.number}`);
  await world.call('GET', '/api/v1/actions?node=node2.acme.org&ids=41,42');
  await world.step(minuteMs);
}
