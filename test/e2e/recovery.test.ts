import { afterAll, beforeAll, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { Fingerprint } from '../../lib/core/ids.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { compare, factsOf } from '../recovery/facts.ts';
import { type Recovery, recover } from '../recovery/recovery.ts';
import { reportOf } from '../recovery/report.ts';

let host: TestHost;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 500, sweepPeriodMs: 200, admits: 'nobody' });
});
afterAll(() => host.stop());

it('client systems whose node was destroyed are as they were, at its replacement, and a fact that is not is noticed', async () => {
  const admin = apiAt(host.url);
  let meddled: Recovery | undefined;
  const asked = { endpoint: host.url, admin, zone: defaultZone, nodes: 2, clients: 12, withinMs: 20_000, say: () => undefined };

  const recovery = await recover(asked, async (whole) => {
    const [one, another] = whole.fps.map((fp) => ({ fp: Fingerprint.parse(fp) }));
    await admin(contract.editSystem, { params: one!, body: { tags: ['meddled'] } });
    await admin(contract.putMetadata, { params: { ...another!, kind: 'channels' as never }, body: { document: { base: 'another' } } });
    await admin(contract.deleteMetadata, { params: { ...another!, kind: 'keys' as never } });
    meddled = { ...whole, compared: compare(whole.before, await factsOf(admin, whole.fps)) };
  });

  const report = reportOf(recovery);
  expect(report.text).toContain('recovered: nothing differs');
  expect(report.code).toBe(0);
  expect(recovery.before.size).toBe(12);
  expect(recovery.compared.filter(({ fact }) => fact.startsWith('metadata '))).toHaveLength(48);
  const moved = recovery.compared.filter(({ fact, after }) => fact === 'node' && after === recovery.replacement);
  expect(moved.length).toBeGreaterThan(0);
  expect(recovery.measuredMs).toBeGreaterThanOrEqual(0);

  const noticed = reportOf(meddled!);
  expect(noticed.code).toBe(1);
  expect(noticed.text).toMatch(/web\d+\.recovery\.test, tags: was .*, is meddled/);
  expect(noticed.text).toMatch(/metadata channels: was revision \d+, .*, is revision \d+, /);
  expect(noticed.text).toMatch(/metadata keys: was revision \d+, .*, is not there/);
  expect(noticed.text).toContain('not recovered: 4 facts differ');
}, 60_000);
