import { afterEach, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import type { ServiceTypeName, ZoneName } from '../../../lib/core/ids.ts';
import { adminScopes } from '../../../lib/identity/rights.ts';
import { usualRates } from '../../../lib/runtime/rates.ts';
import { aNodeUp, type TestAgent } from '../../../tools/support/actors.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { endlessSchema } from '../../support/a-hostile-schema.ts';
import type { RawAnswer } from '../../support/raw-call.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

const zone = 'default' as ZoneName;
/** As many as one zone's operator sent at once when all of Muster stood still for a minute and a half. */
const starts = 90;

let host: Stronghold;
let node: TestAgent;
let token: string;
afterEach(() => host.stop());

/** A host with a node, and the key of somebody who may do everything in its zone. */
async function besieged(rates = usualRates): Promise<void> {
  host = await aStronghold({ rates });
  node = await aNodeUp(host.url, 'node1.acme.org');
  const body = { name: 'operator of one zone', scopes: adminScopes.filter((scope) => scope !== 'security'), zones: [zone] };
  const made = await apiAt(host.url)(contract.createKey, { body });
  if (!made.ok) throw new Error(made.problem.detail);
  token = made.body.secret;
}
const call = (method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  host.attack({
    method,
    path: `/api/v1/zones/default/${path}`,
    ...(body !== undefined && { body }),
    headers: { authorization: `Bearer ${token}` },
  });
const put = (name: string, configuration: object): Promise<RawAnswer> =>
  call('PUT', `service-types/${name}`, { start: ['greet'], schema: { configuration } });
const start = (name: string, configuration: object): Promise<RawAnswer> =>
  call('POST', `services/${name}/start`, { node: node.id, configuration });
const tally = (answers: readonly RawAnswer[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(answers, (one) => told(one).slice(0, 2).join(' '))].map(([name, all]) => [name, all.length]));

describe('attacks 50 to 52', () => {
  it('attack 50: ninety starts of a type whose schema takes for ever hold up no heartbeat and no status call of others', async () => {
    await besieged();
    expect((await put('hostile', endlessSchema)).status).toBe(200);
    let isOver = false;
    const attack = Promise.all(Array.from({ length: starts }, (_, n) => start('hostile', { n }))).finally(() => {
      isOver = true;
    });
    // One after another while the attack lasts, and no more than anybody may call: nothing of this would come through
    // before its end.
    const others: number[] = [];
    for (let n = 0; !isOver && n < 20; n++) {
      others.push(await node.sendHeartbeat());
      others.push((await fetch(`${host.url}/system/status?fp=${'0'.repeat(64)}`)).status);
    }
    expect(others.filter((status) => status !== 200)).toEqual([]);
    expect(others.length).toBeGreaterThan(10);
    expect(tally(await attack)).toEqual({ '409 type-shut-out': starts });
    const params = { zone, type: 'hostile' as ServiceTypeName };
    const type = await apiAt(host.url)(contract.getServiceType, { params });
    expect(type).toMatchObject({ body: { shutOut: { because: expect.stringContaining('longer than 500 ms') } } });
  });

  it('attack 51: one type after another whose schema takes for ever uses up what its caller has, and nobody else has less', async () => {
    await besieged({ ...usualRates, checks: { perSecond: 1, burst: 600 } });
    const answers: RawAnswer[] = [];
    for (let n = 0; n < 4; n++) expect((await put(`hostile${n}`, { ...endlessSchema, title: `${n}` })).status).toBe(200);
    for (let n = 0; n < 4; n++) answers.push(await start(`hostile${n}`, {}));
    expect(tally(answers)).toEqual({ '409 type-shut-out': 2, '429 rate-limited': 2 });
    expect(Number(answers[3]!.headers['retry-after'])).toBeGreaterThan(300);
    const own = apiAt(host.url);
    await own(contract.putServiceType, { params: { zone, type: 'calm' as ServiceTypeName }, body: { start: ['greet'] } });
    const body = { node: node.id, configuration: {} };
    expect((await own(contract.startService, { params: { zone, type: 'calm' as ServiceTypeName }, body })).status).toBe(201);
  });

  it('attack 52: a pattern that goes back over what it read is matched in one pass, and one that cannot be is refused', async () => {
    await besieged();
    expect((await put('greedy', { properties: { a: { pattern: '^(a+)+$' } }, patternProperties: { '^(b|b)*$': {} } })).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => start('greedy', { a: `${'a'.repeat(20_000)}${n}`, ['b'.repeat(20_000)]: 1 })),
    );
    expect(tally(answers)).toEqual({ '422 configuration-invalid': 20 });
    expect(told(answers[0]!)).toEqual([422, 'configuration-invalid', '/configuration/a']);
    expect(told(await put('backward', { properties: { a: { pattern: '(a*)\\1$' } } }))).toEqual([
      422,
      'invalid',
      '/schema/configuration/properties/a/pattern',
    ]);
  });
});
