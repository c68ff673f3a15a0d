import { join } from 'node:path';
import type { EpochMs } from '../../lib/core/time.ts';
import { startEmbedded } from './embedded.ts';
import { load } from './load.ts';
import type { Figure } from './report/figure.ts';
import { peakMib } from './report/of-process.ts';
import { program } from './report/program.ts';
import { clientAt } from './scale/seed.ts';
import { seedHome } from './sites/seeded-home.ts';

const clients = 1_000_000;
const nodes = 50;
/** How long it runs before the memory is read. */
const watchedS = 60;
const askedS = 10;

async function measure(folder: string): Promise<Figure[]> {
  const home = join(folder, 'muster');
  await seedHome(home, { clients, nodes, at: Date.now() as EpochMs, speak: 0 });
  const host = await startEmbedded(home);
  const calls = Array.from({ length: 10_000 }, (_, n) => ({
    method: 'GET' as const,
    path: `/system/status?fp=${clientAt(n * (clients / 10_000))}`,
    headers: {},
  }));
  const asked = await load(host.url, calls, askedS, folder);
  await new Promise((resolve) => setTimeout(resolve, (watchedS - askedS) * 1_000));
  const peak = peakMib(host.pid);
  await host.stop();
  const from = performance.now();
  const again = await startEmbedded(home);
  const readyMs = performance.now() - from;
  await again.stop();
  const of = `${clients.toLocaleString('en-US')} client systems, ${nodes} nodes`;
  return [
    {
      what: `memory of the embedded host, ${of}`,
      measured: peak / 1024,
      unit: 'GiB',
      target: { atMost: 1.5 },
      note: `the most it had resident in ${watchedS} s of work: status calls without a token for ${askedS} s, and what it does by itself`,
    },
    { what: `restart to ready, ${of}`, measured: readyMs / 1_000, unit: 's', target: { atMost: 10 } },
    {
      what: `GET /system/status without a token, ${of}`,
      measured: asked.perSecond,
      unit: '/s',
      note: `from rows; p99 ${asked.p99Ms.toFixed(1)} ms, 10,000 different ones in turn`,
    },
  ];
}

await program(measure);
