import { basename, join } from 'node:path';
import { isMet } from './report/figure.ts';
import { outputOf } from './report/processes.ts';
import { asJson, exitOnSignals } from './report/program.ts';
import { asText, type Measured, measuredNow, writeResults } from './report/results.ts';

/**
 * Every benchmark, with the longest time that it may take. Each runs as a process of its own, so that the compiler
 * starts anew for each.
 */
const parts = [
  { file: 'status.ts', is: 'Status check in process', withinMs: 180_000 },
  { file: 'signatures.ts', is: 'Signed calls in process', withinMs: 120_000 },
  { file: 'knocks.ts', is: 'Knocks at the endpoint in process', withinMs: 180_000 },
  { file: 'sites/onboarding.ts', is: 'Onboarding at scale, from one address', withinMs: 240_000 },
  { file: 'http-status.ts', is: 'Status over HTTP on the embedded host, beside etcd', withinMs: 300_000 },
  { file: 'detection.ts', is: 'A dead node is noticed, and its client systems are placed', withinMs: 900_000 },
  { file: 'expiry.ts', is: 'Until all answers have changed, beside leases of etcd that run out', withinMs: 600_000 },
  { file: 'million.ts', is: 'An embedded host with a million client systems', withinMs: 900_000 },
  { file: 'node-loss.ts', is: 'A lost node, and one that reboots', withinMs: 300_000 },
  { file: 'sites/admission.ts', is: 'A lost node of 14,000 client systems, at rates that adapt', withinMs: 300_000 },
  { file: 'commits.ts', is: 'Durable commits of the embedded table', withinMs: 180_000 },
  { file: 'plan.ts', is: 'Planning a zone', withinMs: 60_000 },
  { file: 'preview.ts', is: 'What would happen in a zone', withinMs: 120_000 },
  { file: 'supervision.ts', is: 'Supervisors', withinMs: 120_000 },
  { file: 'balance.ts', is: 'Balance of a zone, beside hashing', withinMs: 300_000 },
  { file: 'units.ts', is: 'Units of operations, and what a month costs', withinMs: 60_000 },
  { file: 'facts.ts', is: 'Facts files', withinMs: 180_000 },
  { file: 'mero-load.ts', is: 'Loading facts', withinMs: 300_000 },
  { file: 'mero-status.ts', is: 'The status of a storage cluster', withinMs: 300_000 },
  { file: 'mero-bootstrap.ts', is: 'Bootstrap of a storage cluster', withinMs: 300_000 },
  { file: 'services.ts', is: 'Services of nodes', withinMs: 600_000 },
  { file: 'failover.ts', is: 'The coordinator is lost', withinMs: 600_000 },
  { file: 'sites/adoption.ts', is: 'A server with 15,000 systems becomes a node', withinMs: 900_000 },
  { file: 'uyuni/outbox.ts', is: 'The outbox of a Uyuni server', withinMs: 300_000 },
  { file: 'uyuni/merge.ts', is: 'Answers of Uyuni servers become one', withinMs: 600_000 },
  { file: 'uyuni/content.ts', is: 'Common content of a Uyuni server as documents', withinMs: 900_000 },
  { file: 'uyuni/gateway.ts', is: 'The gateway before many Uyuni servers', withinMs: 300_000 },
  { file: 'search.ts', is: 'Search over a million systems, beside SQLite', withinMs: 900_000 },
  { file: 'simulation.ts', is: 'The simulated cluster', withinMs: 300_000 },
  { file: 'agent-file.ts', is: 'The agent as one file', withinMs: 300_000 },
  { file: 'programs/client-daemon.ts', is: 'The client daemon in Go, beside its model', withinMs: 600_000 },
  { file: 'bundles.ts', is: 'Bundles', withinMs: 180_000 },
] as const;

async function measured({ file, is, withinMs }: (typeof parts)[number]): Promise<Measured> {
  const when = measuredNow();
  const printed = await outputOf(process.execPath, [join(import.meta.dirname, file), asJson], withinMs);
  return { file, is, when, ...(file === 'bundles.ts' ? { text: printed } : { figures: JSON.parse(printed) }) };
}

/**
 * `npm run bench -- status balance` measures these parts alone; without names all of them. Throws at an unknown name.
 */
function asked(): readonly (typeof parts)[number][] {
  const names = process.argv.slice(2).filter((one) => !one.startsWith('--'));
  const known = new Map(parts.map((part) => [basename(part.file, '.ts'), part]));
  return names.length === 0
    ? parts
    : names.map((name) => {
        const part = known.get(name);
        if (!part) throw new Error(`there is no part ${name}: ${[...known.keys()].join(', ')}`);
        return part;
      });
}

exitOnSignals();
const done: Measured[] = [];
for (const part of asked()) {
  console.error(`${part.is} …`);
  done.push(await measured(part));
  // Part by part, so that an interrupted run leaves the results until then.
  if (process.argv.includes('--write')) writeResults(parts, done);
}
console.log(asText(done));
process.exitCode = done.every(({ figures = [], text = '' }) => figures.every(isMet) && !text.includes('MISSED')) ? 0 : 1;
