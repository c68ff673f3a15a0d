import { beforeEach, describe, expect, it } from 'vitest';
import { minuteMs } from '../../../lib/core/time.ts';
import { adminScopes } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { usualRates } from '../../../lib/runtime/rates.ts';
import type { ServiceTypes } from '../../../lib/services/rows/service-type.ts';
import { aRow } from '../../../tools/support/a-row.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aType, schemas } from './some.ts';

const fqdn = 'salt1.acme.org';
const types = '/api/v1/zones/default/services';
/** Of such a schema every check of a document runs out of time. */
const endless = (n = 0) => ({ 'x-endless': n });

let world: World;
let checked: number;
beforeEach(async () => {
  checked = 0;
  const isLate = ({ schema, data }: { readonly schema: string; readonly data?: string }) => {
    checked += 1;
    return data !== undefined && schema.includes('x-endless');
  };
  world = await stepped({ isLate, rates: { ...usualRates, checks: { perSecond: 1, burst: 600 } } });
  await new Agent(world, fqdn).start();
});

const said = ({ status, body }: { status: number; body: unknown }) => {
  const { type, detail } = body as { type?: string; detail?: string };
  return [status, type?.replace('urn:muster:problem:', ''), detail];
};
const put = (name: string, schema: object, more: object = {}, headers = {}) =>
  world.call(
    'PUT',
    `/api/v1/zones/default/service-types/${name}`,
    { start: ['greet'], schema: { configuration: schema }, ...more },
    headers,
  );
const start = (type: string, configuration?: object, headers = {}) =>
  world.call('POST', `${types}/${type}/start`, { node: fqdn, ...(configuration && { configuration }) }, headers);
const shown = async (type: string) => (await world.call('GET', `/api/v1/zones/default/service-types/${type}`)).body as object;
/** The bearer token of a new API key with all scopes. */
async function aKey(name: string): Promise<{ authorization: string }> {
  const { body } = await world.call('POST', '/api/v1/keys', { name, scopes: [...adminScopes] });
  return { authorization: `Bearer ${(body as { secret: string }).secret}` };
}

describe('a type by which a check runs out of time', () => {
  beforeEach(async () => {
    expect((await put('greeter', endless())).status).toBe(200);
    checked = 0;
  });

  it('is shut out, which it says, and is not checked by again', async () => {
    expect(said(await start('greeter', { a: 1 }))).toEqual([409, 'type-shut-out', expect.stringContaining('it takes forever')]);
    expect(await shown('greeter')).toMatchObject({ shutOut: { since: expect.any(String), because: 'it takes forever' } });
    for (let n = 0; n < 20; n++)
      expect(said(await start('greeter', { a: n }))).toEqual([409, 'type-shut-out', expect.stringContaining('it takes forever')]);
    await world.step(2 * minuteMs);
    expect(said(await start('greeter'))).toEqual([409, 'type-shut-out', expect.stringContaining('Correct its schema and put it again')]);
    expect(checked).toBe(1);
  });

  it('speaks for other types of its schema for a minute, however often they are asked for', async () => {
    for (const type of ['second', 'third']) expect((await put(type, endless())).status).toBe(200);
    await start('greeter', { a: 1 });
    const before = checked;
    await world.step(40_000);
    expect(said(await start('second', { a: 1 }))[1]).toBe('type-shut-out');
    expect(checked).toBe(before);
    await world.step(40_000);
    expect(said(await start('third', { a: 1 }))[1]).toBe('type-shut-out');
    expect(checked).toBe(before + 1);
  });

  it('takes configurations again once it is put again', async () => {
    await start('greeter', { a: 1 });
    const again = await put('greeter', endless());
    expect(again.body).toEqual({ done: true, because: 'type greeter put again: it takes new configurations' });
    expect(await shown('greeter')).not.toHaveProperty('shutOut');
    expect((await put('greeter', { type: 'object' })).body).toEqual({ done: true, because: 'type greeter put' });
    expect((await start('greeter', { a: 1 })).status).toBe(201);
  });

  it('keeps what runs of it, and lets it be stopped', async () => {
    await put('greeter', {});
    expect((await start('greeter', { a: 1 })).status).toBe(201);
    const row = keyOf({ noun: 'service-types', id: 'default' });
    const { rev, body } = (await world.table.read(row))!;
    const out: ServiceTypes = { ...(body as ServiceTypes), shutOut: [{ type: aType('greeter').name, at: world.now(), because: 'late' }] };
    await world.table.commit([{ put: aRow({ ...row, body: out }), readRev: rev }]);
    const reconfigured = await world.call('POST', `${types}/greeter/reconfigure`, { node: fqdn, configuration: { a: 2 } });
    expect(said(reconfigured)).toEqual([409, 'type-shut-out', expect.any(String)]);
    expect((await start('greeter')).body).toMatchObject({ answer: 'attempting' });
    // It is put again as it is while a service of it runs.
    expect((await put('greeter', {})).body).toMatchObject({ done: true });
    expect((await world.call('POST', `${types}/greeter/stop`, { node: fqdn })).status).toBe(202);
  });
});

describe('a type with a pattern that is not matched in linear time', () => {
  it('is refused with its place', async () => {
    const reply = await put('greeter', { properties: { a: { pattern: '(?=a)b' } } });
    expect(said(reply)).toEqual([422, 'invalid', expect.stringContaining('(?=')]);
    expect(reply.body).toMatchObject({ errors: [{ pointer: '/schema/configuration/properties/a/pattern' }] });
  });

  it('that was stored before is shown so, and takes no new configuration', async () => {
    const schema = { ...schemas[0]!, configuration: '{"properties":{"a":{"pattern":"(?=a)b"}}}' };
    const stored = { zone: 'default' as ServiceTypes['zone'], schemas: [schema], types: [aType('web')] };
    await world.table.commit([{ put: aRow({ ...keyOf({ noun: 'service-types', id: 'default' }), body: stored }), readRev: 0 }]);
    expect(await shown('web')).toMatchObject({
      unusable: [{ pointer: '/schema/configuration/properties/a/pattern', detail: expect.stringContaining('RE2') }],
    });
    const reply = await start('web', {});
    expect(said(reply)).toEqual([409, 'type-shut-out', expect.stringContaining('its schema cannot be used')]);
    expect(reply.body).toMatchObject({ errors: [{ pointer: '/properties/a/pattern' }] });
  });
});

describe('the processor time of a caller', () => {
  it('is used up by dear checks, by those of this caller alone, and comes back', async () => {
    const [wild, calm] = [await aKey('wild'), await aKey('calm')];
    for (let n = 0; n < 3; n++) expect((await put(`t${n}`, endless(n))).status).toBe(200);
    expect((await put('fine', {})).status).toBe(200);
    // Each takes 500 of 600 ms.
    expect(said(await start('t0', {}, wild))[1]).toBe('type-shut-out');
    expect(said(await start('t1', {}, wild))[1]).toBe('type-shut-out');
    const refused = await start('t2', {}, wild);
    expect(said(refused)).toEqual([429, 'rate-limited', expect.stringContaining('1 ms of processor time a second')]);
    expect(refused.headers['retry-after']).toBe('401');
    expect((await start('fine', {}, calm)).status).toBe(201);
    await world.step(401_000);
    expect(said(await start('t2', {}, wild))[1]).toBe('type-shut-out');
  });
});
