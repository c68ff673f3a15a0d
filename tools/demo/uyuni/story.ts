import { contract } from '../../../lib/contract.ts';
import { doneOn } from '../operator.ts';
import { command, scene } from '../stage.ts';
import { names } from './cast.ts';
import { areAll, areRegistered, areUp, expectAll, firstOf, homeOf, numberLine, serverLine, statusesOf } from './checks.ts';
import { minionsOf } from './servers.ts';
import { type Stage, systemsNow } from './stage.ts';

const [first, second, third] = names;

/** The whole story, scene by scene. Throws when an awaited result does not come. */
export async function play(stage: Stage): Promise<void> {
  await begin(stage);
  await adopt(stage);
  await introduce(stage);
  await note(stage);
  await join(stage);
  await lose(stage);
}

/** Two servers of which Muster knows nothing, and then their agents. */
async function begin(stage: Stage): Promise<void> {
  const { cast, systems, watching } = stage;
  const two = [first, second];
  await scene(stage, `two Uyuni servers run, with ${systems} systems each; Muster knows of neither`, async () => {
    await Promise.all(two.map((fqdn) => cast.servers.start(fqdn, systems)));
    await watching.until('the systems of both servers call in there', 60_000, async () =>
      two.every((fqdn) => cast.servers.of(fqdn).onboarding.count().system === systems) ? true : undefined,
    );
    return Promise.all(two.map((fqdn) => serverLine(stage, fqdn)));
  });
  await stage.pause('each server becomes a node');
  await scene(stage, 'each becomes a node: the outbox in its database, and an agent. Its systems notice nothing', async () => {
    const installed = await Promise.all(two.map((fqdn) => becomesNode(stage, fqdn)));
    await areUp(stage, two);
    return [...installed.flat(), ...(await command(stage, ['node', 'list']))];
  });
}

/** Installs the outbox of a server, and starts its agent. */
async function becomesNode({ cast }: Stage, fqdn: string): Promise<readonly string[]> {
  const said = await doneOn(cast, fqdn, 'uyuni', 'install', '--rhn-conf', cast.rhnConf(fqdn));
  cast.startAgent(fqdn);
  return [`${fqdn}$ muster-agent uyuni install`, said.trimEnd()];
}

/** Their systems become client systems where they are. */
async function adopt(stage: Stage): Promise<void> {
  const { systems, watching, measured } = stage;
  await stage.pause('their systems are adopted');
  await scene(stage, 'what would become of the systems of the first server, and which could not be adopted', () =>
    command(stage, ['node', 'adopt', first, '--dry-run'], { says: new RegExp(`^${systems} systems can be adopted`, 'm') }),
  );
  await scene(stage, 'both are adopted: no system is registered anew, and none moves', async () => {
    const began = watching.now();
    const said = [];
    for (const fqdn of [first, second]) said.push(...(await command(stage, ['node', 'adopt', fqdn], { says: adopted(systems) })));
    measured(`${2 * systems} systems adopted`, watching.now() - began);
    const known = await systemsNow(stage.cast);
    expectAll(known, 2 * systems, 'onboarded at home', (one) => one.status === 'onboarded' && one.node?.fqdn === homeOf(one.fqdn));
    return [...said, '', ...[first, second].map((fqdn) => numberLine(known, firstOf(fqdn)))];
  });
}

const adopted = (systems: number): RegExp => new RegExp(`^${systems} systems were adopted, 0 were before, 0 were left`, 'm');

/** How long it takes until the daemons of all systems are installed, so that a person sees them come, in ms. */
const introducingMs = 15_000;

/** One of each, then the next of each. */
const inTurn = <T>(some: readonly T[], others: readonly T[]): T[] => some.flatMap((one, at) => [one, ...others.slice(at, at + 1)]);

/** Their daemons introduce themselves. */
async function introduce(stage: Stage): Promise<void> {
  const { cast, systems, watching, measured } = stage;
  await stage.pause('a daemon is installed on every system, and introduces itself');
  await scene(stage, 'the client daemon is installed on every system: each knocks with the proof of its minion’s key', async () => {
    const before = await systemsNow(cast);
    const began = watching.now();
    for (const minion of inTurn(minionsOf(first, systems), minionsOf(second, systems))) {
      cast.daemons.start(minion);
      await stage.breathe(introducingMs / (2 * systems));
    }
    const known = await watching.until(`all ${2 * systems} daemons have introduced themselves`, 120_000, async () => {
      const now = await systemsNow(cast);
      return [...now].every(([name, { fp }]) => fp !== before.get(name)?.fp) ? now : undefined;
    });
    await watching.until('every daemon knows its node', 60_000, async () => areAll(stage, (name, node) => node === homeOf(name)));
    measured(`${2 * systems} daemons introduced`, watching.now() - began);
    expectAll(
      known,
      2 * systems,
      'the same client systems, at home',
      (one) => one.clusterId === before.get(one.fqdn)?.clusterId && one.node?.fqdn === homeOf(one.fqdn),
    );
    return [
      `${known.size} client systems, as before; nobody accepted a key, and nothing waits for that`,
      'each is where it was, and has its number:',
      numberLine(known, firstOf(second)),
    ];
  });
}

/** Something changes on a server, and Muster knows it. */
async function note(stage: Stage): Promise<void> {
  const { cast, watching } = stage;
  await stage.pause(`somebody writes a note about ${firstOf(second)} on its server`);
  await scene(stage, `somebody writes a note about ${firstOf(second)} on the pages of its server: Muster has it`, async () => {
    await writeNote(stage, second, firstOf(second));
    const fp = (await systemsNow(cast)).get(firstOf(second))!.fp;
    await watching.until('the note has come to Muster', 120_000, async () => {
      const read = await cast.api(contract.getMetadata, { params: { fp, kind: 'notes' } });
      return (read.ok && JSON.stringify(read.body).includes(theNote.subject)) || undefined;
    });
    return command(stage, ['system', 'metadata', 'show', fp, 'notes'], { says: new RegExp(theNote.subject) });
  });
}

const theNote = { subject: 'Moved on Monday', text: 'Row 4, rack 7' } as const;

/** Writes a note as the pages of a server do. */
const writeNote = ({ cast }: Stage, fqdn: string, minion: string) =>
  cast.servers.of(fqdn).database.rows(
    `INSERT INTO rhnservernotes (id, server_id, subject, note)
     SELECT nextval('rhn_server_note_id_seq'), server_id, $2, $3 FROM suseminioninfo WHERE minion_id = $1`,
    [minion, theNote.subject, theNote.text],
  );

/** An empty server joins. */
async function join(stage: Stage): Promise<void> {
  const { cast, systems, watching, measured } = stage;
  await stage.pause('a third server joins');
  await scene(stage, 'a third server joins, without systems: it has its share of the slots, and nobody moves for it', async () => {
    await cast.servers.start(third, 0);
    const began = watching.now();
    await becomesNode(stage, third);
    await areUp(stage, names);
    measured('third server started → up with its share', watching.now() - began);
    const known = await systemsNow(cast);
    expectAll(known, 2 * systems, 'at home', (one) => one.status === 'onboarded' && one.node?.fqdn === homeOf(one.fqdn));
    return command(stage, ['node', 'list']);
  });
}

/** A server dies, and its systems go on elsewhere. */
async function lose(stage: Stage): Promise<void> {
  const { cast, systems, watching, measured } = stage;
  await stage.pause(`${second} dies`);
  const before = await systemsNow(cast);
  const began = watching.now();
  await scene(stage, `${second} dies: its database, its Salt master, and the agent on it`, async () => {
    await cast.destroy(second);
    await watching.until(`${second} is down`, 60_000, async () => ((await statusesOf(stage)).get(second) === 'down' ? true : undefined));
    measured(`${second} dead → down`, watching.now() - began);
    return command(stage, ['node', 'list']);
  });
  await scene(stage, 'its systems find their new nodes, which accept the very keys of their minions and register them', async () => {
    await watching.until(`the ${systems} systems of ${second} have another node`, 120_000, async () =>
      areAll(stage, (name, node) => (homeOf(name) === second ? node !== undefined && node !== second : node === homeOf(name))),
    );
    measured('  → the last of its systems has another node', watching.now() - began);
    await watching.until('the other servers have registered them all', 120_000, async () => areRegistered(stage));
    measured('  → the last is registered there', watching.now() - began);
    const known = await systemsNow(cast);
    expectAll(known, 2 * systems, 'the same client systems', (one) => one.clusterId === before.get(one.fqdn)?.clusterId);
    return [...(await Promise.all([first, third].map((fqdn) => serverLine(stage, fqdn)))), '', ...(await command(stage, ['node', 'list']))];
  });
  await scene(stage, 'the system with the note: the same number, and the note is on its new server', () => noteThere(stage));
}

async function noteThere(stage: Stage): Promise<readonly string[]> {
  const { cast, watching } = stage;
  const known = await systemsNow(cast);
  const there = known.get(firstOf(second))?.node?.fqdn;
  if (there === undefined) throw new Error(`${firstOf(second)} is on no node`);
  const note = await watching.until(`the note is on ${there}`, 120_000, async () => {
    const [found] = await cast.servers
      .of(there)
      .database.rows<{ subject: string; note: string }>(
        'SELECT n.subject, n.note FROM rhnservernotes n JOIN suseminioninfo m ON m.server_id = n.server_id WHERE m.minion_id = $1 AND n.subject = $2',
        [firstOf(second), theNote.subject],
      );
    return found;
  });
  return [numberLine(known, firstOf(second)), `on ${there}: “${note.subject}”, “${note.note}”`];
}
