import { randomInt } from 'node:crypto';
import { type ChaosOutcome, chaos } from './chaos.ts';

/**
 * Delivery for real: kills an embedded host under load and looks whether anything it acknowledged was lost. Exits with
 * 1 if so.
 */
const env = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? String(otherwise);
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`chaos: ${name} is ${JSON.stringify(text)}, and must be a whole number`);
  return process.exit(2);
};

const seed = env('MUSTER_CHAOS_SEED', randomInt(2 ** 31));
const kills = env('MUSTER_CHAOS_KILLS', 5);
const cuts = env('MUSTER_CHAOS_CUTS', 2);
const [nodes, clients] = [env('MUSTER_CHAOS_NODES', 200), env('MUSTER_CHAOS_CLIENTS', 5_000)];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
console.log(`seed ${seed}: ${nodes} nodes, ${clients} client systems, ${kills} kills, ${cuts} power cuts`);
try {
  const startedAt = performance.now();
  const say = (line: string) => console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const program = { script: 'programs/local/main.ts', args: [] };
  const outcome = await chaos({ seed, kills, cuts, nodes, clients, program, calmMaxMs: 6_000, peaceWithinMs: 120_000, say });
  console.log(`\n${reportOf(outcome)}`);
  process.exit(outcome.violations.length === 0 ? 0 : 1);
} catch (error) {
  console.error(`chaos, seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
}

/** Most violations that are printed: one fault makes many. */
function reportOf({
  running,
  starting,
  refused,
  blackouts,
  readyMs,
  census,
  acknowledged,
  events,
  repeats,
  seconds,
  violations,
}: ChaosOutcome): string {
  const shown = 50;
  const sorted = [...readyMs].sort((a, b) => a - b);
  const inSeconds = (ms: number | undefined) => ((ms ?? 0) / 1000).toFixed(2);
  const lines: [string, string | number][] = [
    ['killed', `${running} times at work, ${starting} times while it started`],
    ['ready again', `after ${inSeconds(sorted[sorted.length >> 1])} s, at most ${inSeconds(sorted.at(-1))} s`],
    ['second processes refused', refused],
    [
      'power cuts on a copy',
      blackouts.map(({ lostBytes, tailBytes }) => `${lostBytes} of ${tailBytes} B of log lost`).join('; ') || 'none',
    ],
    ...countsOf('acknowledged', acknowledged),
    ...countsOf('event', events),
    ['the same event again', `${repeats} times, under its id and as it was`],
    ['at the end', `${census.nodesUp} nodes up, ${census.onboarded} client systems onboarded`],
    ['had to be told to knock for that', census.reminded],
    ['took', `${seconds.toFixed(0)} s`],
    ['verdict', violations.length === 0 ? 'nothing lost' : `${violations.length} violations`],
  ];
  const text = lines.map(([what, value]) => `${what.padEnd(36)}${value}`);
  return [...text, ...violations.slice(0, shown).map((violation) => `  ${violation}`)].join('\n');
}

function countsOf(of: string, counts: Readonly<Record<string, number>>): [string, number][] {
  const sorted = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([kind, count]) => [`${of}: ${kind}`, count]);
}
