import { parseArgs } from 'node:util';
import { withCast } from './cast.ts';
import { perform } from './performance.ts';
import { play } from './story.ts';
import { measuredTable } from './table.ts';
import { tellWhereToWatch } from './to-watch.ts';
import { progress, watchingOf } from './watching.ts';

/** The main job on this machine, in about a minute, with real processes and real HTTP. */
const { values } = parseArgs({ options: { nodes: { type: 'string', default: '5' }, systems: { type: 'string', default: '500' } } });
if (!/^[1-9]\d*$/.test(values.nodes) || values.nodes === '1' || !/^[1-9]\d*$/.test(values.systems)) {
  process.stderr.write('demo: --nodes and --systems take a number: nodes 2 or more, systems 1 or more\n');
  process.exit(2);
}
const nodes = Array.from({ length: Number(values.nodes) }, (_, i) => `node${i + 1}.demo.muster.test`);
const systems = Number(values.systems);

await perform(async (signal) => {
  const started = performance.now();
  const measured = await withCast(nodes, async (cast) => {
    await tellWhereToWatch(cast.api);
    return play(cast, systems, watchingOf(cast, signal));
  });
  progress('');
  process.stdout.write(
    `\nMuster on this machine: one control plane, ${nodes.length} node agents, ${systems} client daemons\n\n${measuredTable(measured)}`,
  );
  process.stdout.write(
    `\n  ${((performance.now() - started) / 1000).toFixed(0)} s in all; every process has ended, nothing is left behind.\n`,
  );
  return measured.othersMoved === 0 ? 0 : 1;
});
