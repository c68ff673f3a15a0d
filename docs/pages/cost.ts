import { billText } from '../../programs/cli/commands/cost.ts';
import { prices } from '../../programs/cli/cost/prices.ts';
import { target } from '../../programs/cli/cost/target.ts';
import { units } from '../../programs/cli/cost/units.ts';
import { table as columns } from '../../programs/cli/output/table.ts';
import { madeFrom, table } from './source.ts';

/** What a deployment costs on AWS, how that is computed, and how far it may be trusted. */
export const costPage = (): string => `${madeFrom('programs/cli/cost')}
# What it costs

\`muster cost --clients N --nodes N\` prints what a month on AWS costs, by item and by what it is for. It calls nothing: it computes, and says what it assumed.
\`--dead-known-in\` is how soon a dead client system is known, \`--covered\` how many of them their nodes see, \`--edge\` adds
[the edge](deploy.md#the-edge), \`--free-tiers\` takes off what an account has for nothing every month, \`--json\` gives all of it with its prices.

## How it is computed

1. **What an operation uses** is counted, not estimated: \`tools/bench/units.ts\` plays each operation through the functions on a table in memory that charges as DynamoDB does, and
   writes \`programs/cli/cost/units.json\`. A test plays them again and fails when the code uses other units than that file says; another plays half an hour of a
   deployment and compares. A change that uses other units is followed by \`node tools/bench/units.ts --write\`, \`npm run docs\`, and a look at the bill.
2. **How often it happens** follows from the protocol: the interval of heartbeats and the lease (\`lib/core/lease.ts\`), when client systems call and renew
   (\`lib/clients/intervals.ts\`), every how many heartbeats there is a digest (\`programs/agent/state.ts\`), and the wiring. What people and machines do beside that is assumed
   (\`programs/cli/cost/usual.ts\`).
3. **What it is paid with** is one dated list (\`programs/cli/cost/prices.ts\`), below.

Beside the deployment as it is stand the same with heartbeats of nodes [decided by their endpoint](deploy.md#who-decides-on-heartbeats) (*direct*, \`-c heartbeats=direct\`); that with
[function URLs](deploy.md#function-urls), by which these heartbeats and status checks of client systems come instead of the API (*function URLs*, \`-c functionUrls=on\`); and a row for each
heartbeat of a client system (*naive*).

## A million client systems on 500 nodes

\`\`\`
$ muster cost --clients 1000000 --nodes 500
${billText(target, (rows, titles) => columns(rows, titles, false)).trimEnd()}
\`\`\`

The aim is 700 a month where heartbeats are decided by their endpoint (*direct*), and 300 with function URLs. The first holds; the second is missed by six, of which three are the boot that each start of a client daemon writes ([decision 115](decisions/0115-a-copied-identity.md)). How it came from 1,008 to 689 says [decision 41](decisions/0041-heartbeats-decided-by-the-door.md): the door that takes
a heartbeat decides on it (about 235), of Lambda's own lines about each run only failures are logged (58), heartbeats that renew a lease are logged at debug (25). How it came from
there to what it is, [decision 42](decisions/0042-function-urls.md): nodes stay due on AWS, and a sweep looks at them rather than move them (64); heartbeats are decided by rows as they were a moment ago, read together
(24); a zone of a million is counted every 17 minutes, not 10 (7). What would make it less, each by itself:

| what | about | why it is not so |
|---|---|---|
| no access log (as deployed) | 40 | who called is then known only where something was refused |
| TLS that is resumed by client systems, too | 40 | a daemon calls every six hours; how long AWS resumes is not ours to say |
| the revision of what a node should run, told by its own row | 8 | another writer for a row that has one |
| membership tokens renewed after five days of their seven, not three and a half | 5 | a daemon would have two days to renew it |

A lease that is written at every second heartbeat only would save 40 more, and is not for sale: a node would be given up after two misses, or known to be lost eleven seconds later.

[Webhooks](webhooks.md) are in the bill as nobody has added any: a rule hands every event to their queue, and a run looks at what it remembers and is done. That, the queue's empty polls and
four alarms come to less than a dollar a month. A webhook that is added costs, for each event it asks for, two writes, about four reads, a message and a second run for up to ten seconds of waiting.

The [journal](react-to-events.md) is in the bill, too. Every event is written to the history of its thing and to the
journal of its zone, in one transaction. It took one write unit before; with the journal it takes six, and three read
units, where it comes alone, and about three write units where many come together: two for the history, and its share of
the journal's row. Changes of client systems without an event, such as a renewed token, are gathered for some seconds:
one batch takes four write units and two read units. A page that asks every 3 s what is new takes half a read unit a
zone.

## Units

By operation, all functions that take part in it together. Bytes of log lines are in \`programs/cli/cost/units.json\`.

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
