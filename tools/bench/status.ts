import { createHmac, randomBytes } from 'node:crypto';
import { quickStatus } from '../../lib/clients/handlers/quick-status.ts';
import { tokenHolds, tokenStatus } from '../../lib/clients/rows/status.ts';
import { isMarkedSilent } from '../../lib/clients/silence/reads.ts';
import { write } from '../../lib/core/decision.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { PreparedHmac } from '../../lib/identity/hmac.ts';
import { mintToken, noIndex, readToken, TokenCode, tokenLifeS } from '../../lib/identity/token.ts';
import { memoryBus } from '../../lib/ports/bus/memory.ts';
import { fixedKeys, fixedSealKeys } from '../../lib/ports/keys/fixed.ts';
import type { TokenKey } from '../../lib/ports/keys/keys.ts';
import { memoryQueue } from '../../lib/ports/queue/memory.ts';
import { memoryTable } from '../../lib/ports/table/memory.ts';
import { applyPlan } from '../../lib/runtime/apply-plan.ts';
import type { HttpRequest } from '../../lib/runtime/function.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { encodePage, slotOf } from '../../lib/zones/map/rows/slots.ts';
import { zoneByNumber } from '../../lib/zones/reads/zones.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, nsPerCall, spread } from './rounds.ts';
import { aZone, fingerprintAt, type Size, sizes } from './zone.ts';

/** The number of client systems that take turns, so that no processor's cache holds all of their tokens. */
const clients = 100_000;
const repeats = { calls: clients, rounds: 9 };
const target = { atMost: 3 };
const key: TokenKey = { id: 1, secret: randomBytes(32) };
const tokenCode = new TokenCode(key);

/**
 * The status of client systems with confirmed tokens: from the token and the loaded zone, and by the whole handler as
 * the host calls it.
 */
async function measure(size: Size): Promise<Figure[]> {
  const shell = await shellWith(aZone(size));
  const zone = (await zoneByNumber(shell, 1))!;
  // As the first call of each node's client systems does: whether one of them is silent is known from then on.
  for (const member of zone.members) if (member) await isMarkedSilent(shell, member.node, fingerprintAt(0));
  const nowS = Math.floor(shell.now() / 1000);
  const tokens = Array.from({ length: clients }, (_, n) => tokenAt(n, zone, nowS));
  const requests = tokens.map((token, n) => requestOf(fingerprintAt(n), token));

  const fromToken = nsPerCall((n) => {
    const token = readToken(tokens[n]!, key, tokenCode)!;
    return tokenHolds(zone, token, nowS, tokenLifeS) && tokenStatus(zone, token, { now: (nowS * 1000) as EpochMs }) === 'onboarded'
      ? 1
      : Number.NaN;
  }, repeats);
  const wholeHandler = nsPerCall((n) => (quickStatus(requests[n]!, shell)?.body === '1' ? 1 : Number.NaN), repeats);

  const of = `${size.slots.toLocaleString('en-US')} slots, ${size.nodes} nodes`;
  return [
    figure(`status check in process: token and map (${of})`, fromToken),
    figure(`status check in process: the whole handler, quickStatus (${of})`, wholeHandler),
  ];
}

const figure = (what: string, ns: readonly number[]): Figure => ({ ...plainFigure(what, ns), target });

const plainFigure = (what: string, ns: readonly number[]): Figure => ({
  what,
  measured: median(ns) / 1000,
  unit: 'µs',
  note: `processor time, ${spread(ns, (one) => (one / 1000).toFixed(2))}`,
});

function tokenAt(n: number, zone: LoadedZone, nowS: number): string {
  const fp = fingerprintAt(n);
  const token = { fp: fp.slice(0, 32), zone: zone.head.number, index: zone.map.owner[slotOf(fp, zone.head.slots)]!, generation: 1 };
  return mintToken(
    { ...token, pin: noIndex, mapVersion: zone.head.version, epoch: 0, issuedAtS: nowS, confirmed: true, covered: true, soft: false },
    key,
  );
}

const requestOf = (fp: string, token: string): HttpRequest => ({
  id: 'bench',
  method: 'GET',
  path: '/system/status',
  query: `fp=${fp}`,
  header: (name) => (name === 'muster-token' ? token : undefined),
  body: '',
  source: '127.0.0.1',
});

/** An environment whose table holds the zone, and whose cached zone stays fresh as long as the benchmark runs. */
async function shellWith({ head, map, members }: LoadedZone): Promise<Shell> {
  const now = () => Date.now() as EpochMs;
  const shell: Shell = {
    table: memoryTable(),
    queue: memoryQueue(now),
    bus: memoryBus(),
    keys: fixedKeys(key),
    auditKeys: fixedSealKeys(key.secret),
    now,
    newId: () => 'bench',
    randomBytes,
    random: Math.random,
    sleep: async () => {},
    log: () => {},
    settings: {
      deployment: 'bench',
      beatMinMs: 10_000,
      admitEveryMs: 0,
      zoneMaxAgeMs: 3_600_000,
      countEveryMs: 600_000,
      sweepPeriodMs: 5_000,
      receivesMax: 1,
    },
    caches: new Map(),
  };
  const put = (noun: string, id: string, body: unknown) => ({ ref: { noun, id }, readRev: 0, decision: write(body, 'bench') });
  await applyPlan(shell, { id: 'bench' }, async () => ({
    because: ['bench'],
    changes: [
      put('zone', head.name, head),
      put('zone-number', String(head.number), { name: head.name }),
      put('map', `${head.name}/0`, { version: head.mapVersion, cells: encodePage(map, 0) }),
      put('members', `${head.name}/0`, { members: members.slice(0, 256) }),
      put('members', `${head.name}/1`, { members: members.slice(256) }),
    ],
  }));
  return shell;
}

/** The code of a token, the most expensive part of a check: as we compute it, and as node's usual way does. */
function code(): Figure[] {
  const body = randomBytes(38);
  const [prepared, made] = [new PreparedHmac(key.secret, body.length), Buffer.alloc(16)];
  const ours = nsPerCall(() => {
    prepared.write(body, made);
    return made[0]!;
  }, repeats);
  const nodes = nsPerCall(() => createHmac('sha256', key.secret).update(body).digest()[0]!, { calls: 20_000, rounds: 9 });
  return [plainFigure("a token's code: PreparedHmac", ours), plainFigure("peer: node's createHmac", nodes)];
}

await program(async () => {
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await measure(size)));
  return [...figures, ...code()];
});
