import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApi } from '../../lib/openapi/openapi.ts';
import { run, stopAll } from '../../tools/check-deploy/processes.ts';
import { step } from '../../tools/check-deploy/progress.ts';
import { findPython, pythonEnvironment, Unavailable } from '../../tools/check-deploy/python.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { type Known, populated } from './populated.ts';

/*
 * `npm run check:api`: Schemathesis makes calls from the OpenAPI document, right and wrong ones, to an embedded host,
 * and looks whether the answers are those that the document tells. What it finds and is as it should be is named, with
 * its reason, in named.py.
 */

const folder = join(import.meta.dirname, '../..', '.muster', 'api-check');
const requirements = join(import.meta.dirname, 'requirements.txt');

/** How many calls are made up for an operation, beside those for each bound of each field. */
const examplesMax = 5;
/** With the same seed the same calls are made up, since nothing of the answers goes into them. */
const seed = 1;

/**
 * How Schemathesis is set up: who calls, which things there are, and which statuses besides the usual ones answer calls
 * that are right or wrong.
 */
const configuration = ({ zone, storage, node, fp, type, fid }: Known): string => `
hooks = ${JSON.stringify(join(import.meta.dirname, 'named.py'))}
continue-on-failure = true
[auth.openapi.bearer]
bearer = "\${MUSTER_KEY}"
[cache]
enabled = false
[generation]
database = "none"
max-examples = ${examplesMax}
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 410, 429]
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429]
[phases.examples.extra-data-sources]
responses = false
[phases.coverage.extra-data-sources]
responses = false
[phases.fuzzing.extra-data-sources]
responses = false
[dictionaries]
zones = { values = ["${zone}", "${storage}"] }
nodes = { values = ["${node}"] }
systems = { values = ["${fp}"] }
types = { values = ["${type}"] }
fids = { values = ["${fid}"] }
[parameters]
"path.zone" = { dictionary = "zones", probability = 0.8 }
"path.node" = { dictionary = "nodes", probability = 0.8 }
"path.fp" = { dictionary = "systems", probability = 0.8 }
"path.type" = { dictionary = "types", probability = 0.8 }
"path.fid" = { dictionary = "fids", probability = 0.8 }
[[operations]]
include-path-regex = "^(/api/v1)?/nodes/"
parameters = { "path.id" = { dictionary = "nodes", probability = 0.8 } }
`;

async function check(): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const system = await findPython(folder);
  const python = await step('a virtual environment with Schemathesis', () => pythonEnvironment(system, folder, requirements));
  const host = await step('an embedded host', () => aHost());
  try {
    const known = await step('something of each kind is there', () => populated(host.url));
    return await step('every operation answers as the document says', () => called(python, host, known));
  } finally {
    await host.stop();
  }
}

/** Whether Schemathesis found nothing that is not named; what it found is printed. */
async function called(python: string, host: TestHost, known: Known): Promise<boolean> {
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('openapi.json'), JSON.stringify(openApi()));
  writeFileSync(at('schemathesis.toml'), configuration(known));
  const given = [
    '--config-file',
    at('schemathesis.toml'),
    'run',
    at('openapi.json'),
    '--url',
    host.url,
    '--seed',
    String(seed),
    '--no-color',
  ];
  const env = { ...process.env, MUSTER_KEY: host.operator, NAMED_SEEN: at('named.json') };
  const { code, output } = await run(join(python, '..', 'schemathesis'), [...given, '--warnings', 'off'], { env, cwd: folder });
  writeFileSync(at('output.txt'), output);
  if (code !== 0) console.log(output.slice(output.search(/^=+ (ERRORS|FAILURES) =+$/m)));
  const named = JSON.parse(readFileSync(at('named.json'), 'utf8')) as { why: string; seen: number }[];
  for (const { why, seen } of named) console.log(`${String(seen).padStart(8)}  times: ${why}`);
  return code === 0;
}

async function end(code: number, word: string): Promise<never> {
  await stopAll();
  console.log(`\ncheck:api ${word}`);
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130, 'interrupted'));

try {
  const isSound = await check();
  await end(isSound ? 0 : 1, isSound ? 'passed' : 'FAILED');
} catch (error) {
  if (error instanceof Unavailable) await end(process.env['CI'] === 'true' ? 1 : 0, `SKIPPED: ${error.message}`);
  console.log(`\n${error instanceof Error ? error.message : String(error)}`);
  await end(1, 'FAILED');
}
