import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../infra/bundle.ts';
import { wiring } from '../../infra/wiring.ts';

const runs = 7;
/**
 * Bundles on which client systems wait have stricter targets: a cold start there is a client system's wait. Searches
 * have an engine for regular expressions, which is 150 KB.
 */
const targets: Readonly<Record<string, { kb: number; ms?: number }>> = { knock: { kb: 500, ms: 90 }, search: { kb: 850 } };
const targetElsewhere = { kb: 700 };

/** The variables of a Lambda environment that a bundle's module scope may read. */
const environment = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  MUSTER_DEPLOYMENT: 'Bench',
  MUSTER_TABLE: 'bench',
  MUSTER_QUEUES: '{"heartbeats":"http://127.0.0.1/h","reports":"http://127.0.0.1/r","sweeps":"http://127.0.0.1/s"}',
  MUSTER_BUS: 'bench',
  MUSTER_KEYS_SECRET: 'bench',
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/**
 * Milliseconds that a fresh process takes to import the bundle, counted inside it, without the start of node itself: on
 * the clock, and of the processor, which a busy machine does not stretch.
 */
function load(file: string): { ms: number; cpuMs: number } {
  const work = `await import(${JSON.stringify(pathToFileURL(file).href)})`;
  const code = `const t = performance.now(), c = process.cpuUsage(); ${work}; const u = process.cpuUsage(c); console.log(JSON.stringify({ ms: performance.now() - t, cpuMs: (u.user + u.system) / 1000 }))`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { env: environment }).toString()) as {
    ms: number;
    cpuMs: number;
  };
}

console.log(`bundles: size, and time to import in a fresh node ${process.version}, median of ${runs} (node's own start not counted)`);
let missed = 0;
for (const name of Object.keys(wiring.functions)) {
  const file = join(bundle(name), 'index.mjs');
  const kb = readFileSync(file).byteLength / 1024;
  const loads = Array.from({ length: runs }, () => load(file));
  const ms = median(loads.map((one) => one.ms));
  const cpuMs = median(loads.map((one) => one.cpuMs));
  const target: { kb: number; ms?: number } = targets[name] ?? targetElsewhere;
  const over = kb > target.kb || ms > (target.ms ?? Number.POSITIVE_INFINITY);
  if (over) missed += 1;
  const aim = `target ${target.kb} KB${target.ms ? `, ${target.ms} ms` : ''}`;
  console.log(
    `${name.padEnd(12)} ${kb.toFixed(0).padStart(5)} KB ${ms.toFixed(1).padStart(7)} ms ${cpuMs.toFixed(1).padStart(7)} ms of cpu   ${aim}${over ? '   MISSED' : ''}`,
  );
}
process.exitCode = missed > 0 ? 1 : 0;
