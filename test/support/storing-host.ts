import { fleetOf } from '../../lib/search/reads/fleet.ts';
import { knownStored } from '../../lib/search/reads/known-stored.ts';
import { storeIndex } from '../../lib/search/tick.ts';
import { startHost } from '../../programs/local/host.ts';

/**
 * An embedded host that stores its index of searches all the time, and not once a minute. Its argument is its folder.
 */
const [home = ''] = process.argv.slice(2);
const host = await startHost({
  ...{ port: 0, home, deployment: 'local', beatMinMs: 1_000, admitEveryMs: 0, logLevel: 'error', sweepPeriodMs: 1_000 },
});
console.log(`Muster is at ${host.url}, and stores`);
for (;;) {
  await fleetOf(host.shell);
  await storeIndex(host.shell);
  const known = knownStored(host.shell);
  if (known.last) known.last = { ...known.last, nextAt: host.shell.now() };
  await host.shell.sleep(5);
}
