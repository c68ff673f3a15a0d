import { billText } from '../../cli/commands/cost.ts';
import { prices } from '../../cli/cost/prices.ts';
import { target } from '../../cli/cost/target.ts';
import { units } from '../../cli/cost/units.ts';
import { table as columns } from '../../cli/output/table.ts';
import { madeFrom, table } from './source.ts';

/** What a deployment costs on AWS, how that is computed, and how far it may be trusted. */
export const costPage = (): string => `${madeFrom('cli/cost')}
# What it costs

\`muster cost --clients N --nodes N\` prints what a month on AWS costs, by item and by what it is for. It calls nothing: it computes, and says what it assumed.
\`--dead-known-in\` is how soon a client system that has died is to be known, \`--covered\` how many of them their nodes see, \`--edge\` adds
[the edge](deploy.md#the-edge), \`--free-tiers\` takes off what an account has for nothing every month, \`--json\` gives all of it with its prices.

## How it is computed

1. **What an operation uses** is counted, not estimated: \`bench/units.ts\` plays each operation through the functions on a table in memory that charges as DynamoDB does, and
   writes \`cli/cost/units.json\`. A test plays them again and fails when the code uses other units than that file says; another plays half an hour of a
   deployment and compares. A change that uses other units is followed by \`node bench/units.ts --write\`, \`npm run docs\`, and a look at the bill.
2. **How often it happens** follows from the protocol: the interval of heartbeats and the lease (\`lib/nodes/lease.ts\`), when client systems call and renew
   (\`lib/doors/intervals.ts\`), every how many heartbeats there is a digest (\`agent/state.ts\`), and the wiring. What people and machines do beside that is assumed
   (\`cli/cost/usual.ts\`).
3. **What it is paid with** is one dated list (\`cli/cost/prices.ts\`), below.

Beside the deployment as it is stand the same with heartbeats of nodes by a function's own address instead of the API (*node URL*), with the status checks of
client systems by one as well (*node, client URL*), and a row for each heartbeat of a client system (*naive*). No function URL is made today: the columns say what one would save.

## A million client systems on 500 nodes

\`\`\`
$ muster cost --clients 1000000 --nodes 500
${billText(target, (rows, titles) => columns(rows, titles, false)).trimEnd()}
\`\`\`

The aim was 700 a month as deployed, and 300 with heartbeats by a function URL. Both are missed. No single item is to blame: calls of the API, write units, messages, log lines, read units and runs of functions
are 75 to 260 each, and heartbeats of nodes make most of each. What would make it less, each by itself, as deployed:

| what | about | why it is not so yet |
|---|---|---|
| a batch window of a second for heartbeats, if batches of ten come of it | 145 | a heartbeat is decided up to a second later; nobody has measured the batches |
| system log level WARN for functions | 90 | the two lines about each run, with its time and memory, are lost; the metrics stay |
| no access log | 40 | who called is then known only where something was refused |
| heartbeats that renew a lease logged at debug | 25 | the log no longer shows each of them; the row says when it was heard |
| TLS that is resumed by client systems, too | 40 | a daemon calls every six hours; how long the API resumes is not ours to say |

The first two and the logging of heartbeats together leave about 775 as deployed, and 480 with both kinds of calls by a function URL. What is beyond that lies in the way of a heartbeat itself: three
reads, a write and a queue between. A door that decides on heartbeats itself would save the queue, and with it what absorbs a storm.

[Webhooks](webhooks.md) are in the bill as nobody has added any: a rule hands every event to their queue, and a run looks at what it remembers and is done. That, the queue's empty polls and
four alarms come to less than a dollar a month. A webhook that is added costs, for each event it asks for, two writes, about four reads, a message and a second run for up to ten seconds of waiting.

## Units

By operation, all functions that take part in it together. Bytes of log lines are in \`cli/cost/units.json\`.

${table(['operation', 'runs of functions', 'read units', 'write units', 'messages', 'events'], operations())}
## Prices

For us-east-1. *From* is where a price was read; of one that is not confirmed, where to look it up.

${table(['item', 'USD', 'for', 'from', 'of', 'confirmed'], listed())}`;

/** Every operation with what it uses. */
const operations = (): string[][] =>
  Object.entries(units.operations).map(([name, by]) => {
    const sum = (of: 'runs' | 'reads' | 'writes' | 'sends' | 'published') =>
      String(Object.values(by).reduce((all, usage) => all + (usage[of] ?? 0), 0));
    return [`\`${name}\``, sum('runs'), sum('reads'), sum('writes'), sum('sends'), sum('published')];
  });

/** Every price, a line for each item; of tiers the first, and that it falls. */
const listed = (): string[][] =>
  Object.values(prices['us-east-1']).map(({ item, unit, tiers, from, asOf, confirmed }) => [
    item,
    `${tiers[0]!.usd}${tiers.length > 1 ? ', less from a quantity on' : ''}`,
    `a ${unit}`,
    from,
    asOf,
    confirmed ? 'yes' : 'no',
  ]);
