import { join } from 'node:path';
import type { EpochMs } from '../../lib/core/time.ts';
import { mintToken, noIndex } from '../../lib/identity/token.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { HttpRequest } from '../../lib/runtime/function.ts';
import { slotOf, slotsFor } from '../../lib/zones/map/rows/slots.ts';
import { defaultZone, defaultZoneNumber, type ZoneHead } from '../../lib/zones/zone.ts';
import { handlersOf, loadFunctions } from '../../programs/local/functions.ts';
import { type Host, startHost } from '../../programs/local/host.ts';
import { aRequest } from '../support/a-request.ts';
import { etcdIsInstalled, expiryOf } from './etcd.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { clientAt } from './scale/seed.ts';
import { seedHome } from './sites/seeded-home.ts';
import { nodeIdAt } from './zone.ts';

/** The number of client systems on the node that dies. */
const onNode = 20_000;
const nodes = 3;
const clients = nodes * onNode;
/** A dead node that is not down within this time is a fault. */
const patienceMs = 90_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The status calls of those on the first node, by tokens that are confirmed. */
async function callsOf({ shell }: Host): Promise<HttpRequest[]> {
  const key = await shell.keys.current();
  const slots = slotsFor(nodes);
  const issuedAtS = Math.floor(shell.now() / 1000);
  const theirs = Array.from({ length: clients }, (_, n) => clientAt(n)).filter((fp) => slotOf(fp, slots) % nodes === 0);
  return theirs.map((fp) => {
    const token = { fp: fp.slice(0, 32), zone: defaultZoneNumber, index: 0, generation: 1, pin: noIndex, mapVersion: 0, epoch: 0 };
    const text = mintToken({ ...token, issuedAtS, confirmed: true, covered: true, soft: false }, key);
    return aRequest({ path: '/system/status', query: `fp=${fp}`, headers: { 'muster-token': text } });
  });
}

/**
 * The time in ms from the commit that marks a node as down until every client system of it is answered Orphan. Each
 * asks again and again through the handler of the running host, in its process, because no load generator asks 20,000
 * in a tenth of a second.
 */
async function untilAllChanged(folder: string): Promise<{ ms: number; count: number }> {
  const home = join(folder, 'muster');
  await seedHome(home, { clients, nodes, at: Date.now() as EpochMs, speak: 1 });
  const host = await startHost({ port: 0, home, beatMinMs: 10_000, admitEveryMs: 0, logLevel: 'error', sweepPeriodMs: 1_000 });
  const { handler } = handlersOf(await loadFunctions()).find(({ prefix }) => '/system/status'.startsWith(prefix))!;
  const calls = await callsOf(host);
  const tells = async (call: HttpRequest): Promise<string> => (await handler.handle(call, host.shell)).body!;
  await atOnce(host);
  const until = Date.now() + patienceMs;
  for (const call of calls) if ((await tells(call)) !== '1') throw new Error('a client system is not onboarded before its node dies');
  while ((await tells(calls[0]!)) !== '2') {
    if (Date.now() > until) throw new Error(`${nodeIdAt(0)} is not down after ${patienceMs / 1000} s`);
    await sleep(5);
  }
  for (let left = [...calls]; left.length > 0; ) {
    const answers = await Promise.all(left.map(tells));
    left = left.filter((_, n) => answers[n] !== '2');
  }
  const changedAt = Date.now();
  const downAt = await downSince(host);
  if (downAt === undefined) throw new Error('the node was never marked as down');
  await host.stop();
  return { ms: changedAt - downAt, count: calls.length };
}

/** When the first node was marked as down. */
async function downSince({ shell }: Host): Promise<number | undefined> {
  const { body } = (await shell.table.read(keyOf({ noun: 'node', id: nodeIdAt(0) })))!;
  const { status, downAt } = body as { readonly status: string; readonly downAt?: number };
  return status === 'down' ? downAt : undefined;
}

/** Client systems of a lost node go elsewhere at once (remapAfter 0). */
async function atOnce({ url, operator }: Host): Promise<void> {
  const answer = await fetch(`${url}/api/v1/zones/${defaultZone}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json', 'idempotency-key': 'expiry-bench' },
    body: JSON.stringify({ remapAfterMs: 0 } satisfies Partial<ZoneHead>),
  });
  if (!answer.ok) throw new Error(`the zone was not set: ${answer.status} ${await answer.text()}`);
}

async function measure(folder: string): Promise<Figure[]> {
  const ours = await untilAllChanged(folder);
  const all = ours.count.toLocaleString('en-US');
  const figures: Figure[] = [
    {
      what: `a node with ${all} client systems dies: until all answers have changed`,
      measured: ours.ms / 1_000,
      unit: 's',
      target: { atMost: 1 },
      note: 'embedded, from the commit that says it is down; asked in the process of the host',
    },
  ];
  if (!etcdIsInstalled) return figures;
  const theirs = await expiryOf(folder, onNode);
  return [
    ...figures,
    {
      what: `peer: etcd ${theirs.version}, ${onNode.toLocaleString('en-US')} leases with a key each run out: until the last key is gone`,
      measured: theirs.lateMs / 1_000,
      unit: 's',
      note: 'after the moment at which all of them were due',
    },
  ];
}

await program(measure);
