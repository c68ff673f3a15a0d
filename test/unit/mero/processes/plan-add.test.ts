import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fidOf } from '../../../../lib/core/fid.ts';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import { type Addition, placingsOf, rowsForProcesses } from '../../../../lib/mero/processes/plan-add.ts';
import { add, aMeroNode, nothingThere, roleOf, ssu1, type There, tier1, withAdded } from './some.ts';

type Added = Extract<Addition, { ok: true }>;
const added = (addition: Addition): Added => {
  if (!addition.ok) throw new Error(addition.because.join('; '));
  return addition;
};
const endpoints = (addition: Addition): string[] => added(addition).processes.map(({ endpoint }) => endpoint);
const client2 = 'client2.acme.org' as Fqdn;

describe('a process that is added', () => {
  it('is offline, has an endpoint of its own, and brings the Mero node of a host that had none', () => {
    const one = added(add(nothingThere, ssu1, [roleOf('m0t1fs')]));

    expect(one.isNewNode).toBe(true);
    expect(one.meroNode).toEqual({
      fid: fidOf('node', 1),
      zone: tier1,
      fqdn: ssu1,
      lnid: '10.0.0.1@tcp',
      processes: [fidOf('process', 2)],
    });
    expect(one.processes).toMatchObject([
      {
        fid: fidOf('process', 2),
        host: ssu1,
        endpoint: '10.0.0.1@tcp:12345:41:301',
        role: 'm0t1fs',
        state: { is: 'offline' },
        start: 1,
        services: [{ fid: fidOf('service', 3), type: 'CST_RMS' }],
      },
    ]);
    expect(one.lastFid).toBe(3);
  });

  it('is there as often as its role says, or whoever adds it, each with the next endpoint (reference 29)', () => {
    expect(endpoints(add(nothingThere, ssu1, [roleOf('clovis-app')]))).toEqual(
      [302, 303, 304, 305].map((n) => `10.0.0.1@tcp:12345:41:${n}`),
    );
    expect(endpoints(add(nothingThere, ssu1, [roleOf('clovis-app')], { multiplicity: 2 }))).toHaveLength(2);
  });

  it('takes the next endpoint that nobody has; on another host the same number is free (reference 30)', () => {
    const there = withAdded(nothingThere, add(nothingThere, ssu1, [roleOf('clovis-app')], { multiplicity: 3 }));

    expect(endpoints(add(there, ssu1, [roleOf('clovis-app')], { multiplicity: 1 }))).toEqual(['10.0.0.1@tcp:12345:41:305']);
    expect(endpoints(add(there, client2, [roleOf('clovis-app')], { multiplicity: 1 }, '10.0.0.2'))).toEqual(['10.0.0.2@tcp:12345:41:302']);
  });

  it('is refused when no endpoint is free up to 65535, and nothing is added', () => {
    const role = { ...roleOf('m0t1fs'), content: [{ ...roleOf('m0t1fs').content[0]!, m0p_endpoint: '{{ lnid }}:12345:41:65535' }] };
    const there = withAdded(nothingThere, add(nothingThere, ssu1, [role]));

    expect(add(there, ssu1, [role])).toEqual({
      ok: false,
      because: ['role m0t1fs: no endpoint is free from 10.0.0.1@tcp:12345:41:65535 up to 65535'],
    });
  });

  it('is refused with the key when a range is used up on its node, and none of its kind is added (reference 31)', () => {
    const s3 = roleOf('s3server');
    const [content] = s3.content;
    const short = { ...s3, content: [{ ...content!, m0p_environment: [['PORT', { tag: 'M0PEnvRange', contents: [8081, 8082] }]] }] };
    const there = withAdded(nothingThere, add(nothingThere, ssu1, [short], { multiplicity: 1 }));

    expect(there.processes[0]!.environment).toEqual([{ name: 'PORT', value: '8081' }]);
    expect(add(there, ssu1, [short], { multiplicity: 2 })).toEqual({
      ok: false,
      because: ['role s3server: the range 8081 to 8082 of PORT is used up on ssu1.acme.org'],
    });
    expect(added(add(there, client2, [short], { multiplicity: 2 })).processes.map(({ environment }) => environment[0]!.value)).toEqual([
      '8081',
      '8082',
    ]);
  });

  it('is wanted once when Muster starts it, and never when somebody else does', () => {
    expect(added(add(nothingThere, ssu1, [roleOf('s3server')], { multiplicity: 1 })).processes[0]!.start).toBe(1);
    expect(added(add(nothingThere, ssu1, [roleOf('clovis-app')], { multiplicity: 1 })).processes[0]!.start).toBe(0);
  });

  it('is refused when its role does not know what is said for it', () => {
    expect(add(nothingThere, ssu1, [roleOf('m0t1fs')], { multiplicty: 2 })).toEqual({
      ok: false,
      because: ['there is no variable multiplicty in role m0t1fs'],
    });
    expect(add(nothingThere, ssu1, [roleOf('clovis-app')], { multiplicity: 'many' })).toMatchObject({ ok: false });
  });

  it('listens in the network that is given for a new Mero node, and in that of one that is there', () => {
    expect(endpoints(add(nothingThere, ssu1, [roleOf('mds')], { lnid: '192.168.0.1@o2ib' }))).toEqual(['192.168.0.1@o2ib:12345:41:201']);
    const there: There = { ...nothingThere, meroNodes: new Map([[ssu1, aMeroNode([], { lnid: '10.9.9.9@tcp' })]]) };
    expect(endpoints(add(there, ssu1, [roleOf('mds')]))).toEqual(['10.9.9.9@tcp:12345:41:201']);
  });

  it('is added with others of its role in one commit, and more than fit are refused with how many do', () => {
    const most = added(add(nothingThere, ssu1, [roleOf('clovis-app')], { multiplicity: 48 }));
    expect(placingsOf({ zone: tier1, host: ssu1, roles: [], overrides: {} }, most)).toHaveLength(rowsForProcesses + 2);

    expect(add(nothingThere, ssu1, [roleOf('clovis-app')], { multiplicity: 49 })).toEqual({
      ok: false,
      because: ['49 processes do not fit into one commit, which adds all or none: add at most 48 at once'],
    });
  });

  it('is refused as the second of Halon on a node, and beyond what a node can tell of', () => {
    const there = withAdded(nothingThere, add(nothingThere, ssu1, [roleOf('ha')]));
    expect(add(there, ssu1, [roleOf('ha')])).toEqual({ ok: false, because: ["a node can have only one process of Halon's own"] });

    const full = Array.from({ length: 299 }, (_, n) => ({
      ...there.processes[0]!,
      fid: fidOf('process', 100 + n),
      type: { tag: 'PLM0t1fs' as const, contents: [] as [] },
    }));
    expect(add({ ...there, processes: full }, ssu1, [roleOf('clovis-app')], { multiplicity: 2 })).toEqual({
      ok: false,
      because: ['a node can have at most 300 processes: it has 299, and this would add 2'],
    });
  });
});

describe('whatever is added in whatever order', () => {
  const roles = ['confd', 'mds', 'storage', 'm0t1fs', 'clovis-app', 's3server'];
  const orders = fc.array(
    fc.record({
      host: fc.integer({ min: 1, max: 3 }),
      role: fc.constantFrom(...roles),
      many: fc.integer({ min: 1, max: 12 }),
      sameNet: fc.boolean(),
    }),
    { maxLength: 12 },
  );

  it('no two processes share a fid or an endpoint, values of a range are one process’s on its node, and each addition is whole or none', () => {
    fc.assert(
      fc.property(orders, (all) => {
        let there = nothingThere;
        for (const { host, role, many, sameNet } of all) {
          const named = roleOf(role);
          const name = `ssu${host}.acme.org` as Fqdn;
          const overrides = named.variables ? { multiplicity: many } : {};
          const addition = add(there, name, [named], overrides, sameNet ? '10.0.0.1' : `10.0.0.${host}`);
          const before = there.processes.length;
          there = withAdded(there, addition);
          expect(there.processes.length - before).toBe(addition.ok ? (named.variables ? many : 1) : 0);
        }
        const { processes, meroNodes, lastFid } = there;
        const fids = processes.flatMap(({ fid, services }) => [fid, ...services.map((service) => service.fid)]);
        expect(new Set(fids).size).toBe(fids.length);
        expect(fids.every((fid) => Number.parseInt(fid.split(':0x')[1]!, 16) <= lastFid)).toBe(true);
        expect(new Set(processes.map(({ endpoint }) => endpoint)).size).toBe(processes.length);
        const ports = processes.flatMap(({ host, environment }) => environment.map(({ name, value }) => `${host} ${name} ${value}`));
        expect(new Set(ports).size).toBe(ports.length);
        expect([...meroNodes.values()].flatMap((node) => node.processes).sort()).toEqual(processes.map(({ fid }) => fid).sort());
      }),
    );
  });
});
