import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { hourMs, plusMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold();
});
afterAll(() => host.stop());

/** A key that may read, where it is said to, and what it is called. */
async function aKey(zones?: readonly string[]): Promise<{ id: string; secret: string }> {
  const body = { name: 'a program', scopes: ['read' as const], ...(zones && { zones: zones as never }) };
  const made = await apiAt(host.url)(contract.createKey, { body });
  if (!made.ok) throw new Error(made.problem.detail);
  return { id: made.body.key.id, secret: made.body.secret };
}
/** What is wrong with the audit, over all parts. */
async function faults(): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const part = await apiAt(host.url)(contract.verifyAudit, { query: cursor === undefined ? {} : { cursor } });
    if (!part.ok) throw new Error(part.problem.detail);
    found.push(...part.body.faults.map(({ what }) => what));
    cursor = part.body.next;
    if (cursor === undefined) return found;
  }
}

describe('attack 63', () => {
  it('attack 63: rights that somebody gives an API key in the table are found by a look at the audit', async () => {
    const { id } = await aKey();
    await host.settle();
    expect(await faults()).toEqual([]);
    const { rev, actor, ...row } = (await host.shell.table.read(keyOf({ noun: 'api-key', id })))!;
    const raised = { ...row, at: plusMs(row.at, -hourMs), body: { ...(row.body as object), rights: { security: 'all' } } };
    await host.shell.table.commit([{ put: raised, readRev: rev }]);
    expect(await faults()).toEqual([`the row of api-key ${id} is not as this entry left it`]);
    await host.shell.table.commit([{ put: row, readRev: rev + 1 }]);
    expect(await faults()).toEqual([]);
    // Who leaves somebody's name there has it in the audit as well.
    await host.shell.table.commit([{ put: { ...raised, actor: actor! }, readRev: rev + 2 }]);
    await host.settled();
    expect(await faults()).toEqual([`a field of api-key ${id} was changed that no call changes`]);
  });
  it('attack 63: a key that is written into the table beside its list opens nothing', async () => {
    const { id, secret } = await aKey();
    await host.settle();
    const { rev, list: _listed, ...row } = (await host.shell.table.read(keyOf({ noun: 'api-key', id })))!;
    await host.shell.table.commit([{ put: row, readRev: rev }]);
    const answer = await host.attack({ path: '/api/v1/status', headers: { authorization: `Bearer ${secret}` } });
    expect(told(answer)).toEqual([401, 'bearer-invalid']);
  });
});

describe('attack 64', () => {
  it('attack 64: whoever reaches into a zone that is hidden from them is told of none, and the audit says which it was', async () => {
    const api = apiAt(host.url);
    for (const name of ['alpha', 'beta']) await api(contract.createZone, { body: { name: name as never } });
    const { id, secret } = await aKey(['alpha']);
    const path = '/api/v1/zones/beta';
    const answer = await host.attack({ path, headers: { authorization: `Bearer ${secret}` } });
    expect(told(answer)).toEqual([404, 'unknown-zone']);
    const entry = await eventually('the audit has it', async () => {
      const listed = await api(contract.listAudit, { query: { limit: 200, who: `key:${id}` } });
      return listed.ok && listed.body.items.find(({ did }) => did === 'tried');
    });
    expect(entry).toMatchObject({
      zone: '-',
      key: id,
      because: expect.stringMatching(/^unknown-zone: .*beta/),
      refused: { route: 'GET /api/v1/zones/{zone}', type: 'unknown-zone', subject: 'zone beta' },
    });
  });
});
