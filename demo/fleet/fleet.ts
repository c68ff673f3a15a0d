import { randomBytes } from 'node:crypto';
import { type Daemon, startDaemon } from '../../client/daemon.ts';
import { isHeard } from '../../client/watch.ts';
import { type ApiClient, apiClient, type Fetching } from '../../lib/api/client.ts';
import type { SigningFor } from '../../lib/api/signed.ts';
import { signedKnocks } from '../../lib/api/signed-knocks.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { type KeyPair, newKeyPair } from '../../lib/identity/key-pair.ts';
import type { World } from '../../lib/machine/reactor.ts';
import type { Look, Whereabouts } from './messages.ts';
import type { Presence } from './presence.ts';

/** Many client daemons in one process, each with a key of its own. */
export type Fleet = { look(): Look; knockNow(fps: readonly string[]): void; stop(): void };

/** Starts so many client daemons against a deployment; what they drive is being present on their node. */
export function startFleet(systems: number, { endpoint, presence, world }: { endpoint: string; presence: Presence; world: World }): Fleet {
  const calls: Record<string, number> = {};
  const daemons = new Map<string, Daemon>();
  const where = new Map<string, Whereabouts & { readonly last?: string }>();
  for (let n = 1; n <= systems; n++) {
    const pair = newKeyPair();
    const { publicKey } = pair;
    const fp: string = fingerprintOf(publicKey);
    const daemon = startDaemon({
      api: counting(apiClient(endpoint, { fetching: signedBy(pair, world) }), calls),
      machine: { fp, publicKey, fqdn: `web${n}.demo.muster.test`, machineId: `demo-${n}`, facts: {}, tags: ['demo'] },
      driver: {
        start: async (fqdn) => done(() => presence.enter(fp, fqdn)),
        stop: async () => done(() => presence.leave(fp)),
      },
      kept: { phase: 'unheard' },
      keep: ({ phase, place }) => where.set(fp, after(where.get(fp), phase === 'onboarded' ? place?.fqdn : undefined, world.now())),
      isHeard,
      say: () => {},
      ended: () => {},
      world,
    });
    daemons.set(fp, daemon);
  }
  return {
    look: () => ({ systems: Object.fromEntries([...where].map(([fp, { last: _last, ...shown }]) => [fp, shown])), calls: { ...calls } }),
    knockNow: (fps) => {
      for (const fp of fps) daemons.get(fp)?.knockNow();
    },
    stop: () => {
      for (const daemon of daemons.values()) daemon.stop();
    },
  };
}

/** Signs one machine's knocks; what it learns of the deployment lasts as long as the process. */
function signedBy(pair: KeyPair, world: World): Fetching {
  let known: SigningFor = { clockAheadMs: 0 };
  return signedKnocks({
    keys: () => pair,
    known: () => known,
    learn: (next) => {
      known = next;
    },
    now: world.now,
    newNonce: () => randomBytes(18).toString('base64url'),
  });
}

type Tracked = Whereabouts & { readonly last?: string };

/** Being nowhere for a while is no move yet; being on another node than last is one. */
function after(known: Tracked | undefined, node: string | undefined, now: number): Tracked {
  if (known && known.node === node) return known;
  const last = known?.last;
  const moves = (known?.moves ?? 0) + (node !== undefined && last !== undefined && last !== node ? 1 : 0);
  const stays = node ?? last;
  return { since: now, moves, ...(node !== undefined && { node }), ...(stays !== undefined && { last: stays }) };
}

/** Counts calls by the last part of their path: knock, status, orphan. */
const counting =
  (api: ApiClient, calls: Record<string, number>): ApiClient =>
  (route, sent) => {
    const name = route.path.slice(route.path.lastIndexOf('/') + 1);
    calls[name] = (calls[name] ?? 0) + 1;
    return api(route, sent);
  };

const done = (act: () => void) => {
  act();
  return { ok: true } as const;
};
