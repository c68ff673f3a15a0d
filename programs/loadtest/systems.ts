import { type ApiClient, apiClient, type Fetching } from '../../lib/api/client.ts';
import type { SigningFor } from '../../lib/api/signed.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { World } from '../../lib/machine/reactor.ts';
import type { Machine } from '../client/calls.ts';
import { type Daemon, startDaemon } from '../client/daemon.ts';
import { signedKnocks } from '../client/signed-knocks.ts';
import type { ClientRecord, ClientState, Watch } from '../client/state.ts';
import { newNonce } from './machine.ts';

/** Client systems, each with the real daemon, which drives its presence on its node. */
export type Systems = {
  /** The fingerprints of those that have been started. */
  readonly fps: readonly string[];
  /** Starts one more; gives its fingerprint. */
  start(pair: KeyPair, machine: Pick<Machine, 'fqdn' | 'machineId' | 'tags' | 'onboardingToken' | 'minion'>): string;
  knockNow(fps: readonly string[]): void;
  /** The state of its daemon; undefined for one that was not started. */
  stateOf(fp: string): ClientState | undefined;
  stop(): void;
};

/** Everything that all daemons share. */
export type SystemsMeans = {
  /** How one machine's calls reach Muster. */
  readonly apiOf: (pair: KeyPair) => ApiClient;
  readonly presence: { enter(fp: string, fqdn: string): void; leave(fp: string): void };
  readonly isHeard: (watch: Watch) => Promise<boolean>;
  /** Called whenever a daemon would store its record. */
  readonly recorded?: (fp: string, record: ClientRecord) => void;
  readonly world: World;
};

/** No client systems yet; each `start` adds one. */
export function someSystems({ apiOf, presence, isHeard, recorded, world }: SystemsMeans): Systems {
  const daemons = new Map<string, Daemon>();
  const fps: string[] = [];
  return {
    fps,
    start: (pair, machine) => {
      const { publicKey } = pair;
      const fp: string = fingerprintOf(publicKey);
      fps.push(fp);
      const daemon = startDaemon({
        api: apiOf(pair),
        machine: { fp, publicKey, facts: {}, ...machine },
        driver: {
          start: async (fqdn) => done(() => presence.enter(fp, fqdn)),
          stop: async () => done(() => presence.leave(fp)),
        },
        record: { phase: 'unheard' },
        keep: (now) => recorded?.(fp, now),
        isHeard,
        say: () => undefined,
        ended: () => undefined,
        world,
      });
      daemons.set(fp, daemon);
      return fp;
    },
    knockNow: (some) => {
      for (const fp of some) daemons.get(fp)?.knockNow();
    },
    stateOf: (fp) => daemons.get(fp)?.state(),
    stop: () => {
      for (const daemon of daemons.values()) daemon.stop();
    },
  };
}

/**
 * An API client of the deployment at `url` for one machine, whose knocks are signed. What it learns of the deployment
 * lasts as long as it does.
 */
export function signedSystem(
  url: string,
  pair: KeyPair,
  { world, fetching, timeoutMs }: { world: World; fetching?: Fetching; timeoutMs?: number },
): ApiClient {
  let known: SigningFor = { clockAheadMs: 0 };
  const signed = signedKnocks({
    keys: () => pair,
    known: () => known,
    learn: (next) => {
      known = next;
    },
    now: world.now,
    newNonce,
    ...(fetching && { fetching }),
  });
  return apiClient(url, { fetching: signed, ...(timeoutMs !== undefined && { timeoutMs }) });
}

const done = (act: () => void) => {
  act();
  return { ok: true } as const;
};
