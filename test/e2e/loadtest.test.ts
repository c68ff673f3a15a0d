import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { Terminal } from '../../programs/cli/terminal.ts';
import { Report } from '../../programs/loadtest/report.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

let host: TestHost;
let folder: string;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 500, admits: 'nobody' });
  folder = mkdtempSync(join(tmpdir(), 'muster-loadtest-'));
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a load test against the host as its operator. */
const loaded = (line: string, given: Partial<Terminal> = {}) =>
  ran(`loadtest ${line}`, { env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator }, ...given });

const reportIn = (path: string): Report => Report.parse(JSON.parse(readFileSync(join(path, 'report.json'), 'utf8')));

/** What is left in the deployment that a load test could have made. */
async function leftovers() {
  const api = apiAt(host.url);
  const [zones, rules, tokens, settings] = await Promise.all([
    api(contract.listZones, { query: {} }),
    api(contract.listAdmissionRules),
    api(contract.listOnboardingTokens, { query: {} }),
    api(contract.getSettings),
  ]);
  return {
    zones: zones.ok && zones.body.items.map(({ name }) => name),
    rules: rules.ok && rules.body.rules,
    valid: tokens.ok && tokens.body.items.filter(({ status }) => status === 'valid').length,
    cap: settings.ok && settings.body.newKeysPerSource,
  };
}

describe('a load test of three nodes and thirty client systems, one of whose nodes falls silent', () => {
  it('onboards everyone, notices the loss, reports both, and takes everything back', async () => {
    await apiAt(host.url)(contract.editSettings, { body: { newKeysPerSource: 20 } });
    const path = join(folder, 'made', 'here');

    const { code, out, err } = await loaded(`--nodes 3 --clients 30 --rate 30 --for 28s --fail at=8s,nodes=1,for=13s --report ${path}`);

    expect({ code, err: err.match(/^(?!\d+ s |written|removing).+$/gm) }).toEqual({ code: 0, err: null });
    expect(readdirSync(path).sort()).toEqual(['report.html', 'report.json']);
    const { seconds, totals, failures, ended } = reportIn(path);
    expect(ended).toBe('time');
    expect(failures).toEqual([{ atS: expect.closeTo(8, 0), backS: expect.closeTo(21, 0), nodes: [expect.stringMatching(/^node1\.r/)] }]);
    expect(seconds.some(({ clients }) => clients['onboarded'] === 30)).toBe(true);
    expect(seconds.some(({ silent, nodes }) => silent === 1 && (nodes?.['up'] ?? 3) < 3)).toBe(true);
    expect(totals.nodes).toEqual({ up: 3 });
    // A machine with much else to do may make a call wait too long.
    expect(Object.keys(totals.errors).filter((slug) => slug !== 'busy')).toEqual([]);
    expect(totals.calls['knock']!.count).toBe(seconds.reduce((sum, { calls }) => sum + (calls['knock'] ?? 0), 0));
    expect(out).toMatch(/^CALL +ANSWERED/);
    expect(await leftovers()).toEqual({ zones: ['default'], rules: [], valid: 0, cap: 20 });
  }, 90_000);
});

describe('a load test that is interrupted', () => {
  it('ends at once, still writes its report, and takes everything back', async () => {
    const path = join(folder, 'interrupted');
    let seconds = 0;
    let interrupt = () => {};
    const terminal: Partial<Terminal> = {
      onInterrupt: (then) => {
        interrupt = then;
        return () => undefined;
      },
      err: () => {
        seconds += 1;
        if (seconds === 2) interrupt();
      },
    };

    const { code, out } = await loaded(`--nodes 1 --clients 3 --for 1h --json --report ${path}`, terminal);

    expect(code).toBe(130);
    expect(reportIn(path)).toMatchObject({ ended: 'interrupted', configuration: { nodes: 1, clients: 3, forMs: 3_600_000 } });
    expect(JSON.parse(out)).toEqual(reportIn(path));
    expect(await leftovers()).toEqual({ zones: ['default'], rules: [], valid: 0, cap: 20 });
  });
});

describe('a load test that the deployment refuses', () => {
  it('says why, and leaves nothing behind', async () => {
    const unknown = await loaded('--nodes 1 --clients 1 --for 1s', { env: { MUSTER_ENDPOINT: host.url } });
    expect(unknown).toMatchObject({ code: 77, out: '' });
    expect(await leftovers()).toMatchObject({ zones: ['default'], rules: [], valid: 0 });
  });
});
