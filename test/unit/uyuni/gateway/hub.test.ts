import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonWrites } from '../../../../lib/uyuni/api/common-writes.ts';
import { methods } from '../../../../lib/uyuni/api/methods.ts';
import { returns } from '../../../../lib/uyuni/api/returns.ts';
import { directoryOf, type GatewayNode } from '../../../../lib/uyuni/gateway/directory.ts';
import { hubCallOf, hubMethods } from '../../../../lib/uyuni/gateway/hub/call.ts';
import { namedPlan } from '../../../../lib/uyuni/gateway/hub/plan.ts';
import { HubRefused } from '../../../../lib/uyuni/gateway/hub/refusal.ts';
import { resultsOf } from '../../../../lib/uyuni/gateway/hub/results.ts';
import { numberOf } from '../../../../lib/uyuni/gateway/numbers.ts';
import { refusals } from '../../../../lib/uyuni/gateway/route.ts';
import { intOf, type Typed } from '../../../../lib/uyuni/gateway/typed.ts';
import { serverIdOf, serversById } from '../../../../programs/gateway/hub/server-ids.ts';

const aNode = (name: string, serverId?: number): GatewayNode => ({
  ...{ name, url: `https://${name}`, isUp: true, isInSync: true },
  ...(serverId !== undefined && { serverId }),
});
const [a, b] = ['a.acme.test', 'b.acme.test'] as const;
const first = 1_000_010_000;
/** The first server keeps its numbers in the cluster, which other servers have for other systems. */
const directory = directoryOf(
  [aNode(a), aNode(b)],
  [0, 1, 2].flatMap((n) => [[first + n, a, first + n] as const, [1_500_000_000 + n, b, first + n] as const]),
);

describe('the number of a server', () => {
  it('has nine digits, so that none of a system is taken for it', () => {
    fc.assert(
      fc.property(fc.domain(), (name) => {
        expect(String(serverIdOf(aNode(name)))).toMatch(/^[1-9]\d{8}$/);
      }),
    );
  });

  it('depends on its name alone, and not on which others there are', () => {
    expect([...serversById([aNode(a), aNode(b)]).keys()]).toEqual([serverIdOf(aNode(a)), serverIdOf(aNode(b))]);
    expect([...serversById([aNode(b)]).keys()]).toEqual([serverIdOf(aNode(b))]);
    // Scripts store it: it is never another.
    expect(serverIdOf(aNode(a))).toBe(260_200_775);
  });

  it('is the one that was given, and never that of two', () => {
    expect([...serversById([aNode(a, 1_000_010_003), aNode(b)]).keys()]).toEqual([1_000_010_003, serverIdOf(aNode(b))]);
    const same = () => serversById([aNode(a, 5), aNode(b, 5)]);
    expect(same).toThrow(HubRefused);
    expect(same).toThrow('a.acme.test and b.acme.test have the same number 5: give one of them another by --server-id');
  });
});

describe('a name of the hub', () => {
  const at = (name: string, sent = name) => hubCallOf({ name, sent, params: [] });

  it('is one of its own, or of a method of servers, with the name that they find', () => {
    expect(hubMethods.map((method) => at(method))).toEqual(hubMethods.map((method) => ({ to: 'hub', method, params: [] })));
    expect(at('unicast.system.getDetails', 'unicast.system.get_details')).toEqual({
      ...{ to: 'one', name: 'system.getDetails', sent: 'system.get_details', params: [] },
    });
    expect(at('multicast.channel.software.listArches')).toMatchObject({ to: 'several', name: 'channel.software.listArches' });
  });

  it.each(['hub.x', 'hub.', 'unicast.x', 'multicast.'])('is not %s', (name) => {
    expect(at(name)).toEqual({ to: 'unknown' });
  });

  it.each(['system.listSystems', 'hubs.login', 'hub', 'unicasts.system.x', 'xhub.login'])('leaves %s to the servers', (name) => {
    expect(at(name)).toBeUndefined();
  });
});

describe('a call to a server that is named', () => {
  const forms = [...methods].flatMap(([name, all]) => all.map((form) => ({ name, form }))).filter(({ form }) => form.auth === 'session');
  const text: Typed = { type: 'string', text: 'x' };
  const scalars: Readonly<Record<string, Typed>> = {
    ...{ int: intOf(3), long: intOf(3), boolean: { type: 'boolean', text: '1' }, double: { type: 'double', text: '1.5' } },
    ...{ 'dateTime.iso8601': { type: 'dateTime.iso8601', text: '20310501T12:00:00' }, base64: { type: 'base64', text: '' } },
    map: { type: 'struct', members: [] },
  };
  const valueFor = (type: string, isSystem: boolean, id: number): Typed => {
    const isList = type.startsWith('array');
    const one = isSystem ? intOf(id) : (scalars[type.replace(/^array<(\w+)>$/, '$1')] ?? text);
    if (type.startsWith('struct')) return { type: 'struct', members: [] };
    return isList ? { type: 'array', items: [one] } : one;
  };
  /** The plan for each form of each method, called for a system of the cluster on a server. */
  const plans = (node: string, id: number, seat: string | undefined) =>
    forms.map(({ name, form }) => {
      const params = form.params.map((one) => valueFor(one.type, numberOf(one) === 'system', id));
      return {
        name,
        form,
        plan: namedPlan({ name, params }, node, directory, seat === undefined ? { why: refusals.noSeat } : { node: seat }),
      };
    });
  const systemsIn = (params: readonly Typed[]): string[] =>
    params.flatMap((one) => ('items' in one ? systemsIn(one.items) : 'text' in one && one.text.length === 10 ? [one.text] : []));

  it('has no number of a system but that server’s own, in any form of any method', () => {
    const found = plans(b, 1_500_000_001, b).flatMap(({ plan }) => ('fault' in plan ? [] : systemsIn(plan.params)));
    expect(new Set(found)).toEqual(new Set([String(first + 1)]));
    expect(found.length).toBeGreaterThan(200);
  });

  it('never reaches another system than was meant, whosever number it has', () => {
    for (const id of [first + 1, 1_500_000_009, 77]) {
      const reached = plans(b, id, b).filter(
        ({ form, plan }) => !('fault' in plan) && form.params.some((one) => numberOf(one) === 'system'),
      );
      expect(reached.map(({ name }) => name)).toEqual([]);
    }
  });

  it('changes common content at the seat alone', () => {
    const common = new Set(commonWrites);
    for (const seat of [a, undefined])
      expect(plans(b, 1_500_000_001, seat).filter(({ name, plan }) => common.has(name) && !('fault' in plan))).toEqual([]);
    expect(plans(b, 1_500_000_001, b).filter(({ name, plan }) => common.has(name) && !('fault' in plan)).length).toBeGreaterThan(200);
  });

  it('signs nobody in or out', () => {
    for (const name of ['auth.login', 'auth.logout', 'auth.isSessionKeyValid'])
      expect(namedPlan({ name, params: [text, text] }, b, directory, { node: b })).toMatchObject({ fault: { code: -1 } });
  });

  it('knows of each answer where numbers of systems are in it', () => {
    const unknown = plans(b, 1_500_000_001, b).filter(({ name, plan }) => !('fault' in plan) && /^(recurring|ansible\.\w*Path)/.test(name));
    expect(unknown.map(({ name }) => name)).toEqual([]);
    expect(returns.get('maintenance.listSystemsWithSchedule')?.ids).toMatchObject([{ kind: 'system' }]);
  });
});

describe('the results of several servers', () => {
  it('have each server once, and codes and texts of faults', () => {
    const all = [
      { id: 1, value: 'x' },
      { id: 2, fault: { code: 2201, text: 'not & so' } },
      { id: 3, fault: { code: -1, text: 'a \u0001 b' } },
    ];
    expect(resultsOf(all)).toEqual({
      Successful: { ServerIds: [1], Responses: ['x'] },
      Failed: { ServerIds: [2, 3], Responses: ['Fault(2201): not & so', 'Fault(-1): a ? b'] },
    });
  });
});
