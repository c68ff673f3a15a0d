import { minuteMs } from '../../../lib/core/time.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';
import { boots, nodesUp } from './nodes.ts';

const operator = (world: World, does: 'accept' | 'unregister' | 'settle' | 'ban', { fp }: Daemon, more: object = {}) =>
  world.call('POST', `/api/v1/systems/${does}`, { systems: [fp], ...more });

/** Seen, accepted, told its node and confirmed; taken off it, back on it, and banned for ever. Others wait, or are turned away at once. */
export async function aClientSystemIsBanned(world: World): Promise<void> {
  await nodesUp(world, 1);
  const web = new Daemon(world, 'web1.acme.org');
  const known = { minion: minionOf('web1', minionKeyOf('web1'), web.fp), facts: { os: 'SLES' }, suggestedTags: ['web'] };
  await web.knock(known);
  await operator(world, 'accept', web, { tags: ['web'], groups: ['dmz'] });
  await web.knock(known);
  const { body } = await web.orphan();
  await world.step(minuteMs);
  await web.knock({ ...known, confirmed: body });
  await world.step(minuteMs);

  const gone = await new Daemon(world, 'app1.acme.org').onboarded();
  await operator(world, 'unregister', gone);
  await operator(world, 'unregister', web);
  await world.step(10 * minuteMs);
  await web.knock(known);
  await web.knock({ ...known, confirmed: (await web.orphan()).body });
  await world.step(minuteMs);
  await world.call('PATCH', `/api/v1/systems/${gone.fp}`, { tags: ['app'], groups: [] });

  await operator(world, 'ban', web);
  await world.step(minuteMs);
  await operator(world, 'accept', web);
  await web.knock(known);
  await web.orphan();

  const waits = new Daemon(world, 'db1.acme.org');
  await waits.knock();
  const stranger = new Daemon(world, 'db2.acme.org');
  await stranger.knock();
  await operator(world, 'ban', stranger);
  await stranger.knock();
  await world.step(10 * minuteMs);
}

/** Two that their node says it sees in a digest, which alone confirms them, and one that it does not. Then the node is lost, and found again. */
export async function aDigestConfirms(world: World): Promise<void> {
  const [node] = (await nodesUp(world, 1)) as [Agent];
  const [web, db, app] = ['web1', 'db1', 'app1'].map((name) => new Daemon(world, `${name}.acme.org`)) as [Daemon, Daemon, Daemon];
  for (const daemon of [web, db, app]) {
    await daemon.accepted();
    await daemon.orphan();
  }
  await world.step(minuteMs);
  const { version, systems } = (await node.systems()).body as { version: number; systems: string[] };
  const bits = Buffer.from([(1 << systems.indexOf(web.fp)) | (1 << systems.indexOf(db.fp))]);
  await node.beat({ digest: { listVersion: version, bits: bits.toString('base64') }, tableHash: 'e3b0c442' });
  await world.step(minuteMs);
  for (const daemon of [web, db, app]) await daemon.status();
  await world.step(10 * minuteMs);

  await new Agent(world, 'node2.acme.org').start();
  node.fallSilent();
  await world.step(25 * minuteMs);
  await web.status({ lost: true });
  await web.knock({ lost: true, confirmed: (await web.orphan()).body });
  await boots(world, node);
  node.beats();
  await world.step(10 * minuteMs);
}

/** A client system is switched off, and on again; another calls while its node does not see it; then the node loses sight of all. */
export async function aClientSystemFallsSilent(world: World): Promise<void> {
  const [node] = (await nodesUp(world, 1)) as [Agent];
  const names = ['web1', 'web2', 'db1', 'db2', 'app1'];
  const fleet = names.map((name) => new Daemon(world, `${name}.acme.org`));
  for (const daemon of fleet) await daemon.onboarded();
  const [off, calls] = fleet as [Daemon, Daemon];
  await world.step(minuteMs);
  const { version, systems } = (await node.systems()).body as { version: number; systems: string[] };
  const sees = async (seen: readonly Daemon[]): Promise<void> => {
    const bits = Buffer.from([seen.reduce((all, { fp }) => all | (1 << systems.indexOf(fp)), 0)]);
    await node.beat({ digest: { listVersion: version, bits: bits.toString('base64') } });
    await world.step(minuteMs);
  };
  await sees(fleet);
  await calls.knock();
  const others = fleet.filter((one) => one !== off && one !== calls);
  for (let n = 0; n < 3; n++) await sees(others);
  await world.step(5 * minuteMs);
  await calls.status();
  for (let n = 0; n < 2; n++) await sees(fleet);
  for (let n = 0; n < 4; n++) await sees([]);
  await sees(fleet);
}

/** Tags and groups are added and taken away, of those named and of all that have a tag. */
export async function clientSystemsAreLabelled(world: World): Promise<void> {
  await new Agent(world, 'node1.acme.org').start();
  const web = await new Daemon(world, 'web1.acme.org').onboarded();
  const app = await new Daemon(world, 'app1.acme.org').onboarded();
  const edit = (body: object) => world.call('POST', '/api/v1/systems/edit', body);
  await edit({ systems: [web.fp, app.fp], tags: { add: ['prod', 'linux'] }, groups: { add: ['dmz'] } });
  await world.step(minuteMs);
  await edit({ where: { tag: 'prod' }, tags: { remove: ['linux'] }, dryRun: true });
  await edit({ where: { tag: 'prod' }, tags: { remove: ['linux'] } });
  await edit({ systems: [web.fp], tags: { add: ['prod'] } });
  await world.call('PATCH', `/api/v1/systems/${app.fp}`, { groups: [] });
  await world.step(10 * minuteMs);
}

/** Pinned to a node, softly to another, which is lost and comes back; let go, and banned while it is pinned. */
export async function clientSystemsArePinned(world: World): Promise<void> {
  const [first, second] = (await nodesUp(world, 2)) as [Agent, Agent];
  const web = await new Daemon(world, 'web1.acme.org').onboarded();
  const app = await new Daemon(world, 'app1.acme.org').onboarded();
  const settles = async (daemon: Daemon): Promise<void> => {
    await daemon.knock();
    const { status, body } = await daemon.orphan();
    if (status === 200) await daemon.knock({ confirmed: body });
  };
  await world.call('POST', '/api/v1/systems/pin', { systems: [web.fp, app.fp], node: first.fqdn });
  await world.step(minuteMs);
  for (const daemon of [web, app]) await settles(daemon);
  await world.call('POST', '/api/v1/systems/pin', { systems: [app.fp], node: first.fqdn, soft: true });
  await second.systems();
  await first.systems();
  first.fallSilent();
  await world.step(25 * minuteMs);
  for (const daemon of [web, app]) await settles(daemon);
  await boots(world, first);
  first.beats();
  await world.step(10 * minuteMs);
  for (const daemon of [web, app]) await settles(daemon);
  await world.call('POST', '/api/v1/systems/unpin', { systems: [app.fp] });
  await settles(app);
  await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
  await world.step(10 * minuteMs);
}

/** A clone is held and left out of a bulk, and takes its place as somebody else once it has a machine id of its own; a machine installed anew is accepted by name. */
export async function twoKeysSayOneMachineId(world: World): Promise<void> {
  await nodesUp(world, 1);
  const [web, clone, anew] = ['web1', 'web2', 'web3'].map((name) => new Daemon(world, `${name}.acme.org`)) as [Daemon, Daemon, Daemon];
  const same = { machineId: 'machine-of-an-image' };
  await web.knock(same);
  await clone.knock(same);
  await world.call('POST', '/api/v1/systems/accept', { systems: [clone.fp, web.fp] });
  await world.step(minuteMs);
  await web.knock(same);
  await web.knock({ ...same, confirmed: (await web.orphan()).body });
  await clone.knock({ machineId: 'machine-of-its-own' });
  await operator(world, 'accept', clone);
  await anew.knock(same);
  await world.step(minuteMs);
  await operator(world, 'accept', anew, { duplicates: true });
  await operator(world, 'ban', web);
  await anew.knock(same);
  await anew.knock({ ...same, confirmed: (await anew.orphan()).body });
  await world.step(10 * minuteMs);
}

/** Two keys say one name: the machine was installed anew, and takes the place of its former key, whose minion it still has. Another is given its name by mistake. */
export async function aMachineIsInstalledAnew(world: World): Promise<void> {
  await nodesUp(world, 1);
  const web = await new Daemon(world, 'web1.acme.org').onboarded();
  const minion = minionKeyOf('web1');
  await web.knock({ minion: minionOf('web1', minion, web.fp) });
  await world.call('PATCH', `/api/v1/systems/${web.fp}`, { tags: ['web'], groups: ['dmz'] });
  await world.call('PUT', `/api/v1/systems/${web.fp}/metadata/channels`, { document: { base: 'sles-15' } });
  await world.step(minuteMs);

  const anew = new Daemon(world, 'web1.anew.acme.org');
  const known = { fqdn: web.fqdn, minion: minionOf('web1', minion, anew.fp) };
  await anew.knock(known);
  await operator(world, 'accept', anew);
  await world.call('POST', `/api/v1/systems/${web.fp}/replace`, { by: anew.fp });
  await web.knock();
  await anew.knock(known);
  await anew.knock({ ...known, confirmed: (await anew.orphan()).body });
  await world.step(minuteMs);

  const mistaken = await new Daemon(world, 'web2.acme.org').onboarded();
  await mistaken.knock({ fqdn: web.fqdn });
  await world.step(minuteMs);
  await mistaken.knock();
  await world.step(10 * minuteMs);
}

/** Two machines run with one key: found out by their boots, which take turns, and settled by an operator; then found out again. */
export async function twoMachinesHaveOneIdentity(world: World): Promise<void> {
  await nodesUp(world, 1);
  const web = await new Daemon(world, 'web1.acme.org').onboarded();
  const [one, other] = ['boot-of-web1', 'boot-of-its-copy'];
  const turns = async (many: number) => {
    for (let n = 0; n < many; n++) {
      await world.step(minuteMs);
      await web.knock({ boot: n % 2 === 0 ? one : other });
    }
  };
  await turns(5);
  await web.knock({ boot: one, confirmed: 'node1.acme.org' });
  await operator(world, 'settle', web);
  await turns(5);
  await world.step(10 * minuteMs);
}
