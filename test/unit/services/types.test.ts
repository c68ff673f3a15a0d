import { describe, expect, it } from 'vitest';
import type { Check } from '../../../lib/core/check.ts';
import type { Fqdn, ServiceName, ServiceTypeName, ZoneName } from '../../../lib/core/ids.ts';
import { judge } from '../../../lib/ports/checks/json-schema.ts';
import { builtInSchemas, builtInTypes } from '../../../lib/services/rows/built-in.ts';
import {
  ServiceSchema,
  ServiceType,
  type ServiceTypes,
  typesMax,
  typesTextMax,
  usualSpans,
} from '../../../lib/services/rows/service-type.ts';
import { decideTypes, faultsOfType, schemaOfPut, typesIn } from '../../../lib/services/types.ts';

const zone = 'tier1' as ZoneName;
const named = (name: string) => name as ServiceTypeName;
const aType = (name: string, also: Partial<ServiceType> = {}): ServiceType => ({
  name: named(name),
  serviceName: name as ServiceName,
  schema: named(name),
  program: { is: 'command', start: ['/bin/greet'] },
  messages: [],
  configuration: '{}',
  ...usualSpans,
  ...also,
});
const aSchema = (name: string, configuration: object | boolean = {}): ServiceSchema => ({
  name: named(name),
  configuration: JSON.stringify(configuration),
  resources: [],
  relations: [],
});
const check = async (asked: Check) => judge(asked);
/** Puts a type that was checked before with the schema that it has then. */
async function put(catalogue: ServiceTypes | undefined, type: ServiceType, schema?: ServiceSchema, inUse: string[] = []) {
  const used = schemaOfPut(catalogue, { put: type, schema });
  const checked = used && { schema: used, faults: await faultsOfType(type, used, check) };
  return decideTypes(catalogue, { type: 'put', id: 'c1', zone, put: type, schema, checked, inUse: inUse as Fqdn[] });
}
const does = (catalogue: ServiceTypes | undefined, type: 'close' | 'open' | 'delete', name: string, inUse: string[] = []) =>
  decideTypes(catalogue, { type, id: 'c2', zone, name: named(name), inUse: inUse as Fqdn[] });
/** Closes a type, and deletes it. */
function remove(catalogue: ServiceTypes | undefined, name: string, inUse: string[] = []): ReturnType<typeof decideTypes> {
  const closed = does(catalogue, 'close', name, inUse);
  return closed.does === 'write' ? does(closed.next, 'delete', name, inUse) : closed;
}
const next = (decision: ReturnType<typeof decideTypes>): ServiceTypes => {
  if (decision.does !== 'write') throw new Error(`not written: ${decision.because}`);
  return decision.next;
};

describe('the types that come with Muster', async () => {
  it('are types whose schemas are some, and those that need no configuration start without one', async () => {
    for (const schema of builtInSchemas) {
      expect(ServiceSchema.parse(schema)).toEqual(schema);
      expect(judge({ schema: schema.configuration })).toEqual({ is: 'done', faults: [] });
    }
    const faulty = typesIn(undefined).filter(({ type, schema }) => {
      const verdict = judge({ schema: schema.configuration, data: type.configuration });
      return verdict.is !== 'done' || verdict.faults.length > 0;
    });
    expect(faulty.map(({ type }) => type.name)).toEqual(['process']);
    for (const type of builtInTypes) expect(ServiceType.parse(type)).toEqual(type);
  });
  it('cannot be put or deleted', async () => {
    for (const decision of [await put(undefined, aType('m0d'), aSchema('m0d')), remove(undefined, 'm0d')])
      expect(decision).toMatchObject({ does: 'refuse', because: 'the type m0d comes with Muster, and cannot be changed' });
  });
});

describe('a type that an operator puts', async () => {
  it('is in the catalogue with its schema, behind those of Muster, and goes again', async () => {
    const catalogue = next(await put(next(await put(undefined, aType('web'), aSchema('web'))), aType('greeter'), aSchema('greeter')));
    expect(
      typesIn(catalogue)
        .slice(-3)
        .map(({ type, schema, origin }) => [type.name, schema.name, origin]),
    ).toEqual([
      ['rule-webhooks', 'unconfigured', 'muster'],
      ['greeter', 'greeter', 'put'],
      ['web', 'web', 'put'],
    ]);
    expect(await put(catalogue, aType('web'), aSchema('web'))).toMatchObject({ does: 'nothing', because: 'type web is unchanged' });
    expect(next(remove(catalogue, 'web'))).toEqual({ zone, types: [aType('greeter')], schemas: [aSchema('greeter')] });
    expect(remove(catalogue, 'nobody')).toMatchObject({ does: 'nothing', because: 'no operator has put a type nobody' });
  });
  it('may share the schema of another, which stays as long as one has it and is not changed by one of them', async () => {
    const one = next(await put(undefined, aType('one'), aSchema('one', { type: 'object' })));
    const both = next(await put(one, aType('two', { schema: named('one') })));
    expect(both.schemas).toEqual([aSchema('one', { type: 'object' })]);
    expect(next(remove(both, 'one')).schemas).toHaveLength(1);
    expect(await put(both, aType('two', { schema: named('one') }), aSchema('one', true))).toMatchObject({
      because: 'the schema one also belongs to one: choose another name',
    });
    expect(await put(undefined, aType('mine', { schema: named('process') }), aSchema('process', true))).toMatchObject({
      because: 'the schema process also belongs to Muster: choose another name',
    });
    expect(next(await put(undefined, aType('mine', { schema: named('process') }))).schemas).toEqual([]);
    expect(await put(one, aType('two', { schema: named('none') }))).toMatchObject({
      errors: [{ pointer: '/schema', detail: 'there is no schema none' }],
    });
  });
  it('is told all its faults at once, by where they stand', async () => {
    const strings = { properties: { greeting: { type: 'string' } } };
    const message = { name: named('greet'), data: '{"type":"strin"}', command: ['greet'] };
    const faulty = aType('greeter', { configuration: '{"greeting":1}', messages: [message, { ...message, data: 'true' }] });
    expect(await put(undefined, faulty, aSchema('greeter', strings))).toMatchObject({
      because: 'type greeter has 3 faults',
      errors: [
        { pointer: '/configuration/greeting', detail: 'Instance type "number" is invalid. Expected "string".' },
        { pointer: '/messages/0/data/type', detail: expect.stringContaining('Instance does not match any of') },
        { pointer: '/messages/1/name', detail: 'there is a message greet above' },
      ],
    });
    expect(await put(undefined, aType('greeter'), aSchema('greeter', { $ref: 'https://example.test/s' }))).toMatchObject({
      because: 'type greeter has a fault',
      errors: [{ pointer: '/schema/configuration/$ref' }],
    });
  });
  it('needs no configuration of its own: whoever starts a service brings one', async () => {
    const schema = aSchema('greeter', { required: ['greeting'] });
    expect((await put(undefined, aType('greeter'), schema)).does).toBe('write');
    expect((await put(undefined, aType('greeter', { configuration: '{"a":1}' }), schema)).does).toBe('refuse');
  });
  it('is neither changed nor deleted while there are services of it, which are named', async () => {
    const catalogue = next(await put(undefined, aType('web'), aSchema('web')));
    const because = 'there are services of type web, on a.acme.org, b.acme.org: stop them first';
    const hosts = ['a.acme.org', 'b.acme.org'];
    expect(remove(catalogue, 'web', hosts)).toMatchObject({ does: 'refuse', because });
    expect(await put(catalogue, aType('web', { stopMs: 1 }), aSchema('web'), hosts)).toMatchObject({ does: 'refuse', because });
    expect((await put(catalogue, aType('web'), aSchema('web'), hosts)).does).toBe('nothing');
    expect(remove(catalogue, 'web', [...hosts, 'c.acme.org'])).toMatchObject({ because: expect.stringContaining('and perhaps more') });
  });
  it('is closed before it is deleted; it is open again once somebody says so, or puts it', async () => {
    const catalogue = next(await put(undefined, aType('web'), aSchema('web')));
    const closed = next(does(catalogue, 'close', 'web'));
    expect(closed).toEqual({ ...catalogue, closed: ['web'] });
    expect(does(closed, 'close', 'web')).toMatchObject({ does: 'nothing', because: 'type web is closed already' });
    expect(next(await put(closed, aType('greeter'), aSchema('greeter')))).toMatchObject({ closed: ['web'] });
    for (const open of [does(closed, 'open', 'web'), await put(closed, aType('web'), aSchema('web'))]) {
      expect(next(open)).toEqual(catalogue);
      expect(does(next(open), 'delete', 'web')).toMatchObject({
        does: 'refuse',
        because: expect.stringContaining('was opened or put again'),
      });
    }
    // One that is in use is opened all the same.
    expect(next(does(closed, 'open', 'web', ['a.acme.org']))).toEqual(catalogue);
  });
  it('has room beside so many others, and no more', async () => {
    let full: ServiceTypes | undefined;
    for (let n = 0; n < typesMax; n++) full = next(await put(full, aType(`t${n}`, { schema: named('unconfigured') })));
    expect(await put(full, aType('one-more', { schema: named('unconfigured') }))).toMatchObject({
      because: expect.stringContaining('128 types'),
    });
    // Three bytes each.
    const long = { default: '中'.repeat(20_000) };
    let filled: ServiceTypes | undefined;
    for (let n = 0; n < 4; n++) filled = next(await put(filled, aType(`t${n}`), aSchema(`t${n}`, long)));
    expect(await put(filled, aType('t4'), aSchema('t4', long))).toMatchObject({
      because: expect.stringContaining(`${typesTextMax} bytes`),
    });
  });
});
