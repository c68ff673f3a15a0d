import { parseArgs } from 'node:util';
import { perform } from '../performance.ts';
import { tell } from '../scene.ts';
import { type Measured, tableOf } from '../stage.ts';
import { seconds } from '../table.ts';
import { tellWhereToWatch } from '../to-watch.ts';
import { progress, watchingOf } from '../watching.ts';
import { withCast } from './cast.ts';
import { inNamespace, isInNamespace, whyNoNamespaces } from './namespaces.ts';
import { playServices } from './of-services.ts';
import { playStations } from './of-stations.ts';
import type { Stage } from './stage.ts';

/**
 * Services and stations on this machine, in about two minutes, with real agents, a service of shell and the command
 * line.
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });

const refused = isInNamespace() || values.short ? undefined : whyNoNamespaces();
if (!isInNamespace() && !values.short && refused === undefined) process.exit(await inNamespace());

await perform(async (signal) => {
  const started = performance.now();
  const figures: Measured[] = [];
  process.stdout.write('Services and stations on this machine: one control plane, five hosts with their agents\n');
  await withCast(signal, async (cast) => {
    // A browser of this machine does not reach into a network namespace.
    if (!isInNamespace()) await tellWhereToWatch(cast.api);
    const stage: Stage = { cast, watching: watchingOf(cast, signal), tell, measured: (what, ms) => void figures.push([what, ms]) };
    await playServices(stage);
    await playStations(stage, values.short);
  });
  progress('');
  if (refused !== undefined)
    process.stdout.write(`\nLeft out: a station whose uplink is cut, as this machine allows no network namespaces (${refused}).\n`);
  process.stdout.write(`\n${tableOf(figures)}`);
  process.stdout.write(`\n${seconds(performance.now() - started)} in all; every process has ended, nothing is left behind.\n`);
  return 0;
});
