import { minuteMs } from '../../../lib/core/time.ts';
import { contentDigestOf } from '../../../lib/identity/signature.ts';
import { type Around, Away, type Cluster, Died } from '../cluster.ts';
import { oneOf, type Random } from '../random.ts';
import { signedIn } from '../watching.ts';
import type { SimulatedHost } from './host.ts';
import type { Captured } from './network.ts';
import type { SimulatedSystem } from './system.ts';

/** How long a captured call is kept before it is made again, in ms, at the most: longer than any signature is taken. */
const keptMaxMs = 12 * minuteMs;

type Machines = { readonly hosts: readonly SimulatedHost[]; readonly systems: readonly SimulatedSystem[]; readonly isOver: () => boolean };

/**
 * Somebody on the lines of machines: hears their calls, and makes them again from elsewhere, at once or later, as they
 * were or changed.
 */
export function listenIn(around: Around, cluster: Cluster, { hosts, systems, isOver }: Machines): void {
  const { kernel, faults } = around;
  const random = kernel.random('intruder');
  let repeats = 0;
  const tap = (call: Captured): void => {
    if (!signedIn(call.headers) || !faults.hits('replay', 0.5)) return;
    const isChanged = random() < 0.3;
    const made = isChanged ? changed(call, random, hosts) : call;
    kernel.after(random() ** 3 * keptMaxMs, `a captured ${made.method} ${made.path} is made again`, () => {
      repeats += 1;
      if (!isOver() && !cluster.isAway) void again(around, cluster, made, { id: `again-${repeats}`, isChanged });
    });
  };
  for (const { line } of [...hosts, ...systems]) line.tap = tap;
}

async function again(
  { kernel, watch }: Around,
  cluster: Cluster,
  call: Captured,
  { id, isChanged }: { id: string; isChanged: boolean },
): Promise<void> {
  const { method, path, query, headers, body } = call;
  const askedAt = kernel.now;
  const signed = signedIn(headers);
  watch.again({ request: id, signed });
  try {
    const reply = await cluster.call({ method, path, query, header: (name) => headers[name], body }, id);
    watch.repeated({
      at: kernel.now,
      askedAt,
      method,
      path,
      query,
      token: headers['muster-token'],
      key: undefined,
      signed,
      by: reply.by,
      status: reply.status,
      sent: body,
      line: 'intruder',
      shown: headers,
      headers: reply.headers ?? {},
      body: reply.body ?? '',
      isChanged,
    });
  } catch (error) {
    if (!(error instanceof Away || error instanceof Died)) throw error;
  }
}

/** The call with one thing in it changed that the signature covers, and its digest made to fit. */
function changed(call: Captured, random: Random, hosts: readonly SimulatedHost[]): Captured {
  const other = oneOf(random, hosts)?.software()?.node;
  const elsewhere = call.path.replace(/^\/nodes\/n[0-9a-f]{16}/, `/nodes/${other}`);
  const body = ` ${call.body}`;
  const spaced = { ...call, body, headers: { ...call.headers, 'content-digest': contentDigestOf(body) } };
  const ways = [spaced, { ...call, query: call.query === '' ? 'since=0' : '' }, { ...spaced, headers: call.headers }];
  if (other !== undefined && elsewhere !== call.path) ways.push({ ...call, path: elsewhere }, { ...call, path: elsewhere });
  return oneOf(random, ways)!;
}
