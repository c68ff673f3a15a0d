import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { against } from './against.ts';
import type { Answers } from './fake-deployment.ts';

const now = Date.parse('2026-05-01T12:00:00Z');
const at = new Date(now).toISOString();
const order = {
  order: 1,
  does: 'power-cycle',
  host: 'ssu1.acme.org',
  by: 'operator',
  dryRun: false,
  coordinator: 'n0123456789abcdef',
  epoch: 3,
  at,
  until: at,
  state: 'waiting',
};
const command = ['ipmitool', '-H', '{bmc}', '-f', '{passwordFile}', 'chassis', 'power', 'cycle'];
const view = (items: object[] = [], more: object = {}) => ({ zone: 'lab', bmcs: [], wanted: [], items, ...more });
const bmc = { host: 'ssu7.acme.org', address: '192.0.2.7', user: 'admin', secret: 'bmc/ssu7.acme.org' };

/** `halon …` against a deployment where an order ends so. */
function halon(line: string, given: Record<string, unknown> = {}) {
  const answers = {
    orderOnSite: () => ({ ...order, because: 'ssu1.acme.org is power-cycled, order 1, under epoch 3', waitMs: 2_000 }),
    getSiteOrders: () => view([{ ...order, state: 'done', exit: 0, says: 'Chassis Power Control: Cycle', endedAt: at }]),
    ...given,
  } as unknown as Answers;
  return against(answers, `halon ${line}`, { now: () => now, sleep: async () => undefined });
}

describe('halon node power-cycle', () => {
  it('waits for the answer of the station, and says it', async () => {
    const { code, out, err, routes } = await halon('node power-cycle --zone lab ssu1.acme.org');
    expect([code, out]).toEqual([0, 'order 1, power cycle of ssu1.acme.org: exit 0: Chassis Power Control: Cycle\n']);
    expect(err).toContain('ssu1.acme.org is power-cycled, order 1, under epoch 3');
    expect(routes).toEqual(['orderOnSite', 'getSiteOrders']);
  });

  it.each([
    [{ state: 'done', exit: 1, says: 'Unable to establish IPMI' }, 1, 'exit 1: Unable to establish IPMI'],
    [{ state: 'refused', says: 'it is of epoch 3, and 4 is known here' }, 77, 'refused, nothing ran: it is of epoch 3'],
    [{ state: 'unknown', says: 'its agent was started again meanwhile' }, 1, 'it may have run, and is not repeated'],
    [{ state: 'expired', says: 'nothing was heard' }, 75, 'no answer in time: it may have run'],
  ])('ends with a code that says what became of it: %j', async (how, code, says) => {
    const ended = await halon('node power-cycle --zone lab ssu1.acme.org', {
      getSiteOrders: () => view([{ ...order, ...how, endedAt: at }]),
    });
    expect(ended.code).toBe(code);
    expect(ended.out).toContain(says);
  });

  it('passes on that it is to be a dry run, or by force, and why it may not be', async () => {
    const bodies: unknown[] = [];
    const refuse = ({ body }: { body: unknown }) => {
      bodies.push(body);
      throw new Refusal('no-quorum', 'no quorum: 1 of 3 stations is heard, 2 are needed');
    };
    const { code, err } = await halon('node power-cycle --zone lab ssu1.acme.org --dry-run --force', { orderOnSite: refuse });
    expect(bodies).toEqual([{ host: 'ssu1.acme.org', dryRun: true, force: true }]);
    expect([code, err]).toEqual([75, expect.stringContaining('1 of 3 stations is heard')]);
    expect((await halon('node power-cycle --zone lab ssu_1')).code).toBe(2);
  });
});

describe('halon station power', () => {
  it('says how, and shows what there is, with what was stored for older agents', async () => {
    const bodies: unknown[] = [];
    const edit = ({ body }: { body: unknown }) => {
      bodies.push(body);
      const power = { command, everyMs: 600_000, auto: 'off' };
      return { ...view([], { power, bmcs: [bmc] }), done: true, because: 'the power cycles of the zone were configured' };
    };
    const line = 'station power --zone lab --every 20m --auto dry-run --bmc ssu7.acme.org=admin@192.0.2.7';
    const { code, out } = await halon(line, { editPower: edit });
    expect(bodies).toEqual([{ everyMs: 1_200_000, auto: 'dry-run', bmcs: [bmc] }]);
    expect(code).toBe(0);
    expect(out).toContain('power cycles: the coordinator runs its power program (muster-agent --power-command)\n');
    expect(out).toContain(
      '  older agents run: ipmitool -H {bmc} -f {passwordFile} chassis power cycle\n  at most once in 10 min for each host; only by hand\n',
    );
    expect(out).toContain('  BMC of ssu7.acme.org: admin at 192.0.2.7, password bmc/ssu7.acme.org\n');
  });

  it('without options says how it is', async () => {
    expect(await halon('station power --zone lab', { getSiteOrders: () => view() })).toMatchObject({
      code: 0,
      out: 'zone lab has no settings for power cycles\n',
    });
  });

  it.each([
    '--auto perhaps',
    '--bmc ssu7.acme.org',
    '--bmc ssu_7=a@b',
    '--bmc ssu7.acme.org=admin@-f',
    '--bmc ssu7.acme.org=a$b@c',
    '--command ipmitool',
    '--every never',
  ])('refuses %s', async (given) => {
    const { code, routes } = await halon(`station power --zone lab ${given}`);
    expect([code, routes]).toEqual([2, []]);
  });
});
