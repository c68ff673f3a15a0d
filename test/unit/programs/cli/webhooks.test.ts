import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { contract } from '../../../../lib/contract.ts';
import { DeliveryView, WebhookView } from '../../../../lib/webhooks/routes.ts';
import { now, ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { secondsAgo } from './views.ts';

const id = '5r3n8v2x7k1c';
const webhook = WebhookView.parse({
  id,
  url: 'https://hooks.acme.org/muster',
  status: 'enabled',
  zones: 'all',
  createdAt: secondsAgo(7200),
  createdBy: 'operator',
});
const disabled = WebhookView.parse({
  ...webhook,
  id: '0123456789ab',
  status: 'disabled',
  types: ['node.lost', 'zone.calm'],
  severity: 'notice',
  zones: ['emea', 'lab'],
  disabledAt: secondsAgo(60),
  because: 'answered 410: the target is gone',
});
const delivery = DeliveryView.parse({
  place: 'p',
  event: 'node/n0123456789abcdef#7',
  type: 'node.lost',
  at: secondsAgo(300),
  status: 'delivered',
  attempts: 1,
  triedAt: secondsAgo(299),
  answered: 204,
  because: 'answered 204',
});
const pending = { ...delivery, status: 'pending' as const, attempts: 3, because: 'no answer within 10 s', nextAt: secondsAgo(-40) };

let fake: FakeDeployment;
let delivers = true;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    addWebhook: () => ({ secret: `whsec_${'A'.repeat(43)}=`, webhook }),
    listWebhooks: () => ({ items: [webhook, disabled] }),
    removeWebhook: () => webhook,
    enableWebhook: () => webhook,
    rotateWebhook: () => ({ secret: `whsec_${'B'.repeat(43)}=`, webhook }),
    testWebhook: () =>
      delivers ? { delivered: true, answered: 204, because: 'answered 204', ms: 84 } : { delivered: false, because: 'no', ms: 9 },
    listDeliveries: () => ({ items: [pending, delivery, { ...delivery, status: 'dead', attempts: 16, because: 'answered 500' }] }),
    replayDeliveries: ({ body }) => ((body as { after?: string }).after ? { replayed: 2 } : { replayed: 50, next: 'on' }),
  });
});
afterAll(() => fake.stop());

const shown = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: fake.url } });
const sent = (route: keyof typeof contract) => fake.received.filter((one) => one.route === route).map(({ received }) => received.body);

describe('webhooks on the command line', () => {
  it.each([
    ['webhook list', 'webhook-list'],
    [`webhook deliveries ${id}`, 'webhook-deliveries'],
    [`webhook test ${id}`, 'webhook-test'],
    [`webhook enable ${id}`, 'webhook-enable'],
    [`webhook delete ${id} --yes`, 'webhook-remove'],
    ['webhook --help', 'help-webhook'],
    ['webhook create --help', 'help-webhook-add'],
    ['webhook replay --help', 'help-webhook-replay'],
  ])('%s › looks as recorded', async (line, name) => {
    const { out, code } = await shown(line);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`golden/${name}.out`);
  });

  it('show a secret on standard output alone, and its webhook beside it', async () => {
    const made = await shown(
      'webhook create https://hooks.acme.org/muster --types node.lost,zone.calm --severity notice --zone emea --zone lab',
    );
    expect(made).toEqual({ code: 0, out: `whsec_${'A'.repeat(43)}=\n`, err: `webhook ${id}; try it: webhook test ${id}\n` });
    const body = { url: 'https://hooks.acme.org/muster', types: ['node.lost', 'zone.calm'], severity: 'notice', zones: ['emea', 'lab'] };
    expect(sent('addWebhook').at(-1)).toEqual(body);
    expect(await shown(`webhook rotate ${id}`)).toMatchObject({ code: 0, out: `whsec_${'B'.repeat(43)}=\n` });
  });

  it('refuse an event that there is not, and name those that there are', async () => {
    const { err, code } = await shown('webhook create https://hooks.acme.org/ --types node.exploded');
    expect(code).toBe(2);
    expect(err).toContain('There is no event type node.exploded. The types are node.joined,');
  });

  it('say in the exit code whether a test was delivered', async () => {
    delivers = false;
    expect(await shown(`webhook test ${id}`)).toMatchObject({ code: 1, out: 'not delivered: no, after 9 ms\n' });
    delivers = true;
  });

  it('replay page by page, from a moment, from a span ago, or from a number of a subject', async () => {
    expect(await shown(`webhook replay ${id} --since 2h --dead`)).toMatchObject({ code: 0, out: '52 events are delivered once more\n' });
    const since = new Date(now - 7_200_000).toISOString();
    expect(sent('replayDeliveries').slice(-2)).toEqual([
      { since, status: 'dead' },
      { since, status: 'dead', after: 'on' },
    ]);
    await shown(`webhook replay ${id} --since 2026-05-01T10:00:00Z`);
    expect(sent('replayDeliveries').at(-2)).toEqual({ since: '2026-05-01T10:00:00.000Z' });
    await shown(`webhook replay ${id} --subject node/n0123456789abcdef --from-number 17`);
    expect(sent('replayDeliveries').at(-2)).toEqual({ subject: 'node/n0123456789abcdef', fromNumber: 17 });
    for (const wrong of ['', ' --since 2h --subject zone/default --from-number 1', ' --subject zone/default', ' --since later'])
      expect([wrong, (await shown(`webhook replay ${id}${wrong}`)).code]).toEqual([wrong, 2]);
  });
});
