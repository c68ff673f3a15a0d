import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultZone } from '../../lib/zones/zone.ts';
import { startHost } from '../../programs/local/host.ts';
import { apiAt, knowOperator } from '../../tools/support/operator.ts';
import { recover } from './recovery.ts';
import { reportOf } from './report.ts';

/**
 * Recovery for real: destroys a node of an embedded host and looks whether its client systems are as they were. Exits
 * with 1 if not.
 */
const { values } = parseArgs({ options: { nodes: { type: 'string', default: '3' }, clients: { type: 'string', default: '60' } } });
const [nodes, clients] = [Number(values.nodes), Number(values.clients)];
if (!(Number.isInteger(nodes) && nodes >= 2 && nodes <= 200 && Number.isInteger(clients) && clients >= 1 && clients <= 10_000)) {
  console.error('usage: npm run recovery-test -- [--nodes 2..200] [--clients 1..10000]');
  process.exit(2);
}
const home = mkdtempSync(join(tmpdir(), 'muster-recovery-'));
const host = await startHost({
  port: 0,
  home,
  deployment: 'local',
  beatMinMs: 500,
  admitEveryMs: 0,
  logLevel: 'error',
  sweepPeriodMs: 200,
});
knowOperator(host.url, () => host.operator);
let code = 1;
try {
  const say = (line: string) => console.log(line);
  const asked = { endpoint: host.url, admin: apiAt(host.url), zone: defaultZone, nodes, clients, withinMs: 120_000, say };
  const report = reportOf(await recover(asked));
  console.log(`\n${report.text}`);
  code = report.code;
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  await host.stop();
  rmSync(home, { recursive: true });
}
process.exit(code);
