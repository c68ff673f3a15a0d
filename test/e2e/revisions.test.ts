import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import { nameOfBlob } from '../../lib/uyuni/content/blob.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { ContentFollower } from '../../programs/agent/uyuni/content/follow.ts';
import { ContentWanted } from '../../programs/agent/uyuni/content/wanted.ts';
import { aNodeUp, type Beating, keepBeating, type TestAgent } from '../../tools/support/actors.ts';
import { ContentInMemory } from '../../tools/support/content-in-memory.ts';
import { aHost, eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran as typed } from '../unit/programs/cli/a-terminal.ts';

const params = { zone: defaultZone };

/** A Uyuni server with its agent: what its content is, and what carries out orders about it. */
type Server = { readonly agent: TestAgent; readonly content: ContentInMemory; readonly wanted: ContentWanted; pass(): Promise<void> };

let host: Awaited<ReturnType<typeof aHost>>;
let servers: Server[];
let home: string;
const beating: Beating[] = [];
const said: string[] = [];

async function aServer(fqdn: string): Promise<Server> {
  const agent = await aNodeUp(host.url, fqdn, 'uyuni');
  beating.push(keepBeating(agent, 500));
  const content = new ContentInMemory();
  const wanted = new ContentWanted(folderAt(mkdtempSync(join(tmpdir(), 'muster-content-'))));
  const options = { wanted, server: async () => content, world: { after: () => () => {} }, say: (line: string) => void said.push(line) };
  const follower = new ContentFollower(options, {
    api: agent.api,
    member: () => ({ node: agent.id, incarnation: agent.incarnation, generation: 1 }),
  });
  const pass = async () => {
    const answer = await agent.api(contract.desired, { params: { id: agent.id } });
    if (answer.ok && answer.status === 200) wanted.desired(answer.body);
    await follower.pass();
  };
  return { agent, content, wanted, pass };
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'muster-'));
  host = await aHost({ home });
  servers = [];
  for (const n of [1, 2, 3, 4]) servers.push(await aServer(`uyuni${n}.acme.org`));
});
afterAll(async () => {
  for (const one of beating) await one.stop();
  await host.stop();
  rmSync(home, { recursive: true });
});

async function muster(...words: readonly string[]): Promise<string> {
  const { out, err } = await typed(words, { env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator! }, now: Date.now });
  return out + err;
}
const contentNow = async () => {
  const answer = await apiAt(host.url)(contract.getContent, { params });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
};
const typesOf = async () => {
  const answer = await apiAt(host.url)(contract.history, { params: { kind: 'content', id: defaultZone }, query: { after: 0, limit: 100 } });
  return answer.ok ? answer.body.items.map(({ type }) => type) : [];
};
/** The blobs of common content that the host has stored. */
const blobsOf = (folder: string): string[] => readdirSync(join(folder, 'objects')).filter((name) => name.startsWith('content-'));
const groupsOn = ({ content }: Server) => Object.fromEntries(content.groups);
/** Agents look at what they should do until this holds. */
const until = (holds: () => Promise<boolean>) =>
  eventually(
    'all agents have carried out what they should',
    async () => {
      for (const one of servers) await one.pass();
      return holds();
    },
    60_000,
  );
const isSpread = async () => {
  const { spreading, reading } = await contentNow();
  return !spreading && !reading;
};

describe('the common content of a zone', () => {
  let [first, second, third, fourth] = [] as Server[] as [Server, Server, Server, Server];

  it('of one server becomes a revision that goes to the others in waves', async () => {
    [first, second, third, fourth] = servers as [Server, Server, Server, Server];
    for (let n = 0; n < 300; n++) first.content.groups.set(`group${n}`, { description: `the ${n}th, ${'x'.repeat(500)}` });
    second.content.groups.set('own', { description: 'of the second alone' });
    expect(await contentNow()).toMatchObject({ revision: 0, revisions: [], because: 'there is no revision yet' });
    expect(await muster('content', 'apply', '--because', 'the first', '--yes')).toContain('nobody has edited common content by Muster yet');
    expect(await muster('content', 'apply', '--from', 'uyuni1.acme.org', '--because', 'the first', '--yes')).toContain(
      'on uyuni1.acme.org',
    );
    expect(await muster('content', 'apply', '--from', 'uyuni2.acme.org', '--because', 'too', '--yes')).toContain(
      'is being read as revision 1',
    );
    expect(await muster('content', 'edit')).toContain('it can be edited again in some minutes');
    const waves = new Set<number>();
    await until(async () => {
      const { servers: all } = await contentNow();
      waves.add(all.filter(({ is }) => is === 'reached' || is === 'open').length);
      return isSpread();
    });
    // However late a busy machine looks, no server is told before the one before has answered.
    const seen = [...waves].filter((count) => count > 0);
    expect(seen.at(-1)).toBe(4);
    for (const [n, count] of seen.entries()) expect(count - (seen[n - 1] ?? count), seen.join(', ')).toBeLessThanOrEqual(1);
    for (const one of [third, fourth]) expect(groupsOn(one)).toEqual(groupsOn(first));
    expect(Object.keys(groupsOn(second))).toHaveLength(301);
    expect((await contentNow()).servers.map(({ is, counts }) => [is, counts?.made, counts?.extra])).toEqual([
      ['reached', undefined, undefined],
      ['reached', 300, 1],
      ['reached', 300, 0],
      ['reached', 300, 0],
    ]);
    expect(await typesOf()).toEqual(['content.applying', 'content.applied']);
    expect(await muster('content', 'status')).toMatch(/revision 1 of zone default.*uyuni2\.acme\.org +has it +1 .*300 made, 1 beyond it/s);
  }, 90_000);

  it('is stopped where a server cannot take it, and goes on once it can', async () => {
    const stored = blobsOf(home).length;
    first.content.groups.set('group7', { description: 'another' });
    for (const one of [second, third, fourth]) one.content.refuses.set('group7', 'it has members');
    await muster('content', 'apply', '--from', 'uyuni1.acme.org', '--because', 'one group', '--yes');
    await until(async () => (await contentNow()).spreading?.stopped !== undefined);
    const { spreading, servers: all } = await contentNow();
    expect(spreading!.stopped).toMatch(/^1 of 4 servers could not take it; uyuni\d.acme.org: group group7: it has members$/);
    expect(all.map(({ is }) => is).sort()).toEqual(['due', 'due', 'failed', 'reached']);
    expect(blobsOf(home).length - stored, 'one part, and the manifest').toBe(2);
    expect(await muster('content', 'diff', '1', '2')).toBe('~ group group7: description\n');
    for (const one of [second, third, fourth]) one.content.refuses.clear();
    expect(await muster('content', 'resume')).toContain('revision 2 of zone default');
    await until(isSpread);
    for (const one of servers) expect(one.content.groups.get('group7')).toEqual({ description: 'another' });
    expect(await typesOf()).toEqual(['content.applying', 'content.applied', 'content.applying', 'content.failed', 'content.applied']);
  }, 90_000);

  it('goes back to an earlier revision, and loses what is beyond it where that is asked for', async () => {
    second.content.takes = 0;
    expect(await muster('content', 'rollback', '9', '--because', 'a mistake', '--yes')).toContain('revision 9 is not remembered');
    await muster('content', 'rollback', '1', '--because', 'a mistake', '--remove', '--yes');
    await until(async () => said.some((line) => line.includes('the server went away')));
    // The order is open until it is carried out.
    second.content.takes = Number.POSITIVE_INFINITY;
    await until(isSpread);
    expect(groupsOn(second)).toEqual(groupsOn(first));
    expect(second.content.groups.has('own')).toBe(false);
    expect(await muster('content', 'log')).toMatch(/3 +.* revision 1 +.*a mistake.*2 +.*uyuni1.acme.org.*1 +.*uyuni1.acme.org/s);
    expect(await muster('explain', 'content', 'default')).toContain('revision 3, of uyuni1.acme.org, has spread');
  }, 90_000);

  it('is read by no other node, and stored by none that was not told to', async () => {
    const [blob] = (await contentNow()).revisions.length > 0 ? blobsOf(home).map((name) => name.split('-')[2]!) : [];
    const params = { id: second.agent.id, blob: blob! };
    expect(await second.agent.api(contract.readContentBlob, { params })).toMatchObject({ status: 200 });
    expect(await second.agent.api(contract.readContentBlob, { params: { ...params, blob: 'ab'.repeat(32) } })).toMatchObject({
      status: 404,
    });
    const salt = await aNodeUp(host.url, 'salt1.acme.org', 'salt');
    expect(await salt.api(contract.readContentBlob, { params: { id: salt.id, blob: blob! } })).toMatchObject({ status: 404 });
    const bytes = Buffer.from('nonsense');
    const own = { id: second.agent.id, blob: nameOfBlob(bytes) };
    const body = { bytes: bytes.toString('base64') };
    expect(await second.agent.api(contract.storeContentBlob, { params: own, body })).toMatchObject({ status: 409 });
    expect(await second.agent.api(contract.storeContentBlob, { params, body })).toMatchObject({
      problem: { detail: 'the bytes are not those of the name' },
    });
  });
});
