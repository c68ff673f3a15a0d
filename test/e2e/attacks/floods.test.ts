import { afterEach, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { newHostsMax } from '../../../lib/nodes/admission/source.ts';
import { usualRates } from '../../../lib/runtime/rates.ts';
import { aNodeUp, someLoad } from '../../../tools/support/actors.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { storedIn } from '../../../tools/support/state.ts';
import type { RawAnswer } from '../../support/raw-call.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
afterEach(async () => {
  await host.settle();
  await host.unharmed();
  await host.stop();
});

/** How often each answer was given, refusals by their slug. */
const tally = (answers: readonly RawAnswer[]): Record<string, number> => {
  const names = answers.map((answer) => (answer.status < 400 ? String(answer.status) : told(answer).join(' ')));
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
};
const waits = (answers: readonly RawAnswer[]): number[] =>
  answers.filter(({ status }) => status === 429).map(({ headers }) => Number(headers['retry-after']));
const rows = (beginning: string): number => Object.keys(storedIn(host.home)).filter((key) => key.startsWith(beginning)).length;

describe('attack 40', () => {
  it('attack 40: one key that calls a hundred times a second is told when to come back, and no other key is', async () => {
    host = await aStronghold({ rates: usualRates });
    const wild = await aNodeUp(host.url, 'node1.acme.org');
    const calm = await aNodeUp(host.url, 'node2.acme.org');
    const beat = (seq: number) => ({ id: `b-${seq}`, incarnation: wild.incarnation, seq, load: someLoad });
    const beats = Array.from({ length: 200 }, (_, n) =>
      host.attack({ method: 'POST', path: `/nodes/${wild.id}/heartbeat`, body: beat(n + 10), by: wild.keys }),
    );
    const answers = await Promise.all(beats);

    const { 200: taken = 0, '429 rate-limited': refused = 0, ...others } = tally(answers);
    expect(others).toEqual({});
    expect(taken + refused).toBe(200);
    expect(refused).toBeGreaterThan(50);
    expect(waits(answers).every((seconds) => seconds >= 1)).toBe(true);
    expect(await calm.sendHeartbeat()).toBe(200);
  });

  it('attack 40: new client systems from one address are capped, and only so many rows are written', async () => {
    host = await aStronghold();
    await apiAt(host.url)(contract.editSettings, { body: { newKeysPerSource: 20 } });
    const knocks: RawAnswer[] = [];
    for (let n = 0; n < 60; n++) {
      const by = keyPairOf(`flood ${n}`);
      const body = { publicKey: by.publicKey, fqdn: `flood${n}.acme.org`, machineId: `m${n}` };
      knocks.push(await host.attack({ method: 'POST', path: '/system/knock', body, by }));
    }
    expect(tally(knocks)).toEqual({ 200: 20, '429 onboarding-rate': 40 });
    expect(waits(knocks).every((seconds) => seconds > 3_000 && seconds <= 3_660)).toBe(true);
    expect(rows('client#')).toBe(20);
    // Who is known already is not held up.
    const known = keyPairOf('flood 0');
    const again = { publicKey: known.publicKey, fqdn: 'flood0.acme.org', machineId: 'm0' };
    expect((await host.attack({ method: 'POST', path: '/system/knock', body: again, by: known })).text).toBe('0');
  });

  it('attack 40: new hosts from one address are capped too, and one with a token still gets in', async () => {
    host = await aStronghold({ admits: 'nobody' });
    const join = (n: number, more: object = {}) => {
      const by = keyPairOf(`host ${n}`);
      const body = { publicKey: by.publicKey, fqdn: `host${n}.acme.org`, kind: 'salt', ...more };
      return host.attack({ method: 'POST', path: '/nodes/join', body, by });
    };
    const joins: RawAnswer[] = [];
    for (let n = 0; n < newHostsMax + 10; n++) joins.push(await join(n));
    expect(tally(joins)).toEqual({ 202: newHostsMax, '429 onboarding-rate': 10 });
    expect(waits(joins).every((seconds) => seconds > 3_000 && seconds <= 3_600)).toBe(true);
    expect(rows('pooled-host#')).toBe(newHostsMax);
    const made = await apiAt(host.url)(contract.createNodeToken, { body: { nodes: 'host999.acme.org', kind: 'salt' } });
    if (!made.ok) throw new Error(made.problem.detail);
    host.keepSecret(made.body.secret);
    expect((await join(999, { token: made.body.secret })).status).toBe(201);
  });
});
