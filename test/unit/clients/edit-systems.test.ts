import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import publish from '../../../functions/publish.ts';
import { write } from '../../../lib/core/decision.ts';
import { Fingerprint, ZoneName } from '../../../lib/core/ids.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, outrun, type TestShell } from '../../../tools/support/a-shell.ts';
import { aClient, fpOf } from '../../../tools/support/builders.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

const zones = ['default', 'emea'] as const;
let shell: TestShell;
beforeEach(async () => {
  shell = aShell();
  for (const [n, name] of zones.entries())
    await applyPlan(shell, { id: `zone ${name}` }, async () => planZone(ZoneName.parse(name), n + 1, shell.now()));
});

async function accepted(name: string, tags: readonly string[], zone: (typeof zones)[number] = 'default'): Promise<Fingerprint> {
  const fp = Fingerprint.parse(fpOf(name));
  const client = aClient({ fp, zone: ZoneName.parse(zone), tags: tags as never, groups: [] });
  await applyPlan(shell, { id: `client ${name}` }, async () => ({
    because: [],
    changes: [{ ref: { noun: 'client', id: fp }, readRev: 0, decision: write(client, 'a test') }],
  }));
  return fp;
}
const labelsOf = async (fp: string) => {
  const { tags, groups } = (await shell.table.read(keyOf({ noun: 'client', id: fp })))!.body as { tags: string[]; groups: string[] };
  return { tags, groups };
};
let calls = 0;
async function edit(body: object, headers: object = asOperator, within: TestShell = shell) {
  calls += 1;
  const sent = { id: `call-${calls}`, method: 'POST', path: '/api/v1/systems/edit', body: JSON.stringify(body) };
  const reply = await admin.handle(aRequest({ ...sent, headers: { 'content-type': 'application/json', ...headers } }), within);
  const { results = [], next, type } = JSON.parse(reply.body!) as { results?: object[]; next?: string; type?: string };
  return { status: reply.status, results, next, type };
}

describe('tags and groups of many client systems', () => {
  it('are added and taken away, each by itself, and a repeat is done as well', async () => {
    const [web, app] = [await accepted('web1', ['web', 'test']), await accepted('app1', ['app'])];
    const nobody = fpOf('nobody');
    const what = { systems: [web, app, nobody], tags: { add: ['prod'], remove: ['test'] }, groups: { add: ['dmz'] } };
    expect((await edit(what)).results).toEqual([
      { fp: web, done: true, because: 'tags: web, prod; groups: dmz' },
      { fp: app, done: true, because: 'tags: app, prod; groups: dmz' },
      { fp: nobody, done: false, because: 'this key never knocked, or its knock has expired' },
    ]);
    expect(await labelsOf(web)).toEqual({ tags: ['web', 'prod'], groups: ['dmz'] });
    expect((await edit(what)).results.slice(0, 2)).toEqual([web, app].map((fp) => ({ fp, done: true, because: 'it is so already' })));
  });

  it('are told by an event each, once, and stand in the audit', async () => {
    const web = await accepted('web1', ['web']);
    for (let n = 0; n < 2; n++) await edit({ systems: [web], tags: { add: ['prod'] } });
    await publish.handle(shell.table.feed, shell);
    expect(shell.bus.published).toMatchObject([{ type: 'client.labelled', data: { system: web, tags: ['web', 'prod'], groups: [] } }]);
    const entries = [...shell.table.rows.values()].filter(({ key }) => key.pk.startsWith('audit#'));
    expect(entries.map(({ body }) => (body as { entry: object }).entry)).toMatchObject([{ who: 'operator', fields: ['tags'] }]);
  });

  it('are chosen by zone, tag and status, page by page, however many there are', async () => {
    const fps: string[] = [];
    for (let n = 0; n < 450; n++) fps.push(await accepted(`web${n}`, n % 3 === 0 ? ['web'] : ['app']));
    await accepted('other', ['web'], 'emea');
    const done = new Set<string>();
    let pages = 0;
    for (let cursor: string | undefined; ; pages++) {
      const { results, next } = await edit({ where: { tag: 'web' }, tags: { add: ['db'], remove: ['web'] }, ...(cursor && { cursor }) });
      for (const { fp } of results as { fp: string }[]) done.add(fp);
      if (next === undefined) break;
      cursor = next;
    }
    expect(done).toEqual(new Set(fps.filter((_, n) => n % 3 === 0)));
    expect(pages).toBeGreaterThan(0);
    for (const [n, fp] of fps.entries()) expect((await labelsOf(fp)).tags).toEqual([n % 3 === 0 ? 'db' : 'app']);
    expect(await labelsOf(fpOf('other'))).toMatchObject({ tags: ['web'] });
    expect((await edit({ where: { zone: 'emea' }, groups: { add: ['dmz'] } })).results).toHaveLength(1);
    expect((await edit({ where: { status: 'onboarded' }, groups: { add: ['dmz'] } })).results).toEqual([]);
  });

  it('are only looked at by a dry run, which says the same', async () => {
    const web = await accepted('web1', ['web']);
    const what = { where: { tag: 'web' }, tags: { add: ['prod'] } };
    const before = [...shell.table.rows.values()].map(({ key, rev }) => [key, rev]);
    const dry = await edit({ ...what, dryRun: true });
    expect([...shell.table.rows.values()].map(({ key, rev }) => [key, rev])).toEqual(before);
    expect(dry.results).toEqual([{ fp: web, done: true, because: 'tags: web, prod; groups: none' }]);
    expect((await edit(what)).results).toEqual(dry.results);
  });

  it('meet whatever somebody else does at the same time: nothing of either is lost', async () => {
    const web = await accepted('web1', ['web']);
    const racing = outrun(shell, () => edit({ systems: [web], tags: { add: ['theirs'] } }));
    expect((await edit({ systems: [web], tags: { add: ['ours'] } }, asOperator, racing)).results).toMatchObject([{ done: true }]);
    expect((await labelsOf(web)).tags).toEqual(['web', 'theirs', 'ours']);
  });

  it('are at most 64, and not added and taken away at once', async () => {
    const many = Array.from({ length: 64 }, (_, n) => `t${n}`);
    const web = await accepted('web1', ['web']);
    expect((await edit({ systems: [web], tags: { add: many } })).results).toEqual([
      { fp: web, done: false, because: 'it would have more than 64 tags or groups' },
    ]);
    for (const body of [
      { systems: [web], tags: { add: ['a'], remove: ['a'] } },
      { systems: [web], where: { tag: 'web' } },
      { tags: { add: ['a'] } },
      { where: {} },
    ])
      expect([(await edit(body)).status, JSON.stringify(body)]).toEqual([422, JSON.stringify(body)]);
  });

  it('of another zone are not there for whoever is limited to one', async () => {
    const [ours, theirs] = [await accepted('web1', ['web'], 'emea'), await accepted('web2', ['web'])];
    const limited = showing((await aKey(shell, rightsOf(['operate'], [ZoneName.parse('emea')]))).text);
    expect((await edit({ where: { tag: 'web' }, tags: { add: ['x'] } }, limited)).results).toMatchObject([{ fp: ours, done: true }]);
    expect((await edit({ systems: [theirs], tags: { add: ['x'] } }, limited)).results).toMatchObject([{ done: false }]);
    expect((await edit({ where: { zone: 'default' }, tags: { add: ['x'] } }, limited)).status).toBe(404);
    expect(await labelsOf(theirs)).toMatchObject({ tags: ['web'] });
    const { next } = await edit({ where: { tag: 'web' } });
    expect(next).toBeUndefined();
    expect((await edit({ where: { tag: 'web' }, cursor: 'made-up' })).type).toBe('urn:muster:problem:bad-cursor');
  });
});
