import { type FunctionWiring, wiring } from '../../infra/wiring.ts';
import { madeFrom, table } from './source.ts';

type Wired = FunctionWiring<string>;
const functions: readonly [string, Wired][] = Object.entries(wiring.functions);
const queues = Object.entries(wiring.queues);

/** What runs when, and what each function may touch. */
export const topologyPage = (): string => `${madeFrom('infra/wiring.ts')}
# Topology

What is not here runs nowhere: the CDK stacks, the embedded host and this page read the same table.

\`\`\`mermaid
flowchart LR
${[...new Set(functions.flatMap(edgesOf))].join('\n')}
\`\`\`

## Functions

${table(
  ['function', 'started by', 'table', 'may also', 'timeout', 'memory'],
  functions.map(([name, wired]) => [
    `\`${name}\``,
    startsOf(wired).join('<br>'),
    wired.table.join(', '),
    mayOf(wired).join(', '),
    `${wired.timeoutSeconds} s`,
    `${wired.memoryMib} MiB`,
  ]),
)}
## Addresses of their own

Where a deployment asks for function URLs (\`-c functionUrls=on\`, [deploy](deploy.md#function-urls)), one route each of these functions is answered at an address of its own, by
the same code in a function with fewer grants, and nothing else is answered there.

${table(
  ['function', 'answers', 'as', 'table', 'may also', 'at once', 'timeout', 'memory'],
  Object.entries(wiring.direct).map(([name, { of, route, atOnce, ...wired }]) => [
    `\`${name}\``,
    `\`${route}\``,
    `\`${of}\``,
    wired.table.join(', '),
    mayOf(wired).join(', '),
    String(atOnce),
    `${wired.timeoutSeconds} s`,
    `${wired.memoryMib} MiB`,
  ]),
)}
## Queues

${table(
  ['queue', 'carries', 'from the ingest bus', 'from who vouches', 'kept for', 'handed out', 'batch'],
  queues.map(([name, { carries, fromBus = [], fromVouchers = [], hears, retentionSeconds, receivesMax, batchMax }]) => [
    `\`${name}\``,
    carries.join(', ') || (hears ? 'every event, by a rule of the bus; attempts to deliver it' : "the sweep's own"),
    fromBus.join(', ') || 'nothing',
    fromVouchers.join(', ') || 'nothing',
    retentionSeconds < 3600 ? `${retentionSeconds} s` : `${retentionSeconds / 86_400} d`,
    `${receivesMax} times`,
    String(batchMax),
  ]),
)}`;

function edgesOf([name, { routes = [], queue, feed, everySeconds, sends = [], publishes, calls, table: verbs }]: [
  string,
  Wired,
]): string[] {
  const id = `f_${name.replaceAll('-', '_')}`;
  return [
    ...(routes.length > 0 ? [`    http(["HTTP"]) --> ${id}["${name}"]`] : []),
    ...(queue ? [`    q_${queue}[/"queue ${queue}"/] --> ${id}["${name}"]`] : []),
    ...(feed ? [`    table -->|feed| ${id}["${name}"]`] : []),
    ...(everySeconds ? [`    clock(["schedule"]) --> ${id}["${name}"]`] : []),
    ...sends.map((to) => `    ${id} --> q_${to}[/"queue ${to}"/]`),
    ...(verbs.includes('commit') ? [`    ${id} -->|commit| table[("table")]`] : []),
    ...(publishes ? [`    ${id} --> bus(["bus"])`] : []),
    ...Object.entries(wiring.queues).flatMap(([to, { fromBus = [], fromVouchers = [], hears }]) => [
      ...(fromBus.length > 0 ? [`    ingest(["ingest bus"]) -->|rule| q_${to}[/"queue ${to}"/]`] : []),
      ...(fromVouchers.length > 0 ? [`    ingest(["ingest bus"]) -.->|rules of senders| q_${to}[/"queue ${to}"/]`] : []),
      ...(hears ? [`    bus(["bus"]) -->|rule| q_${to}[/"queue ${to}"/]`] : []),
    ]),
    ...(calls ? [`    ${id} --> outside(["targets of webhooks"])`] : []),
  ];
}

const startsOf = ({ routes = [], queue, feed, everySeconds }: Wired): string[] => [
  ...routes.map((route) => `\`${route}\``),
  ...(queue ? [`queue \`${queue}\``] : []),
  ...(feed ? ['the feed, rows that emit events'] : []),
  ...(everySeconds ? [`every ${everySeconds.aws} s on AWS, ${everySeconds.embedded} s embedded`] : []),
];

const objectsText = {
  reads: 'read stored objects',
  stores: 'read objects and store them',
  keeps: 'store objects, read, list and remove them',
} as const;

const mayOf = ({ sends = [], publishes, signs, issuer, calls, objects }: Wired): string[] => [
  ...sends.map((to) => `send to \`${to}\``),
  ...(publishes ? ['publish on the bus'] : []),
  ...(signs ? ['read the signing keys'] : []),
  ...(issuer ? ['read the keys that the issuer of administrators publishes'] : []),
  ...(objects ? [objectsText[objects]] : []),
  ...(calls ? ['call the targets of webhooks'] : []),
];
