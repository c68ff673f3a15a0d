import { afterAll, beforeAll, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { newKeyPair } from '../../lib/identity/key-pair.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { type Daemon, startDaemon } from '../../programs/client/daemon.ts';
import type { Host } from '../../programs/local/host.ts';
import { aNodeUp, type Beating, keepBeating } from '../../tools/support/actors.ts';
import { aHost, eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { signedClient } from '../../tools/support/signed-client.ts';

/** The daemon's clock runs this much faster than Muster's: its next sign of life is due in 3 s, not in 15 min. */
const faster = 300;
const world: World = {
  now: () => Math.round(Date.now() * faster) as EpochMs,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs / faster);
    return () => clearTimeout(timer);
  },
  random: () => 0.5,
};

let host: Host;
let daemon: Daemon | undefined;
let beating: Beating | undefined;
beforeAll(async () => {
  host = await aHost();
});
afterAll(async () => {
  daemon?.stop();
  await beating?.stop();
  await host.stop();
});

it('a machine that is unregistered under its running daemon stops, is told a node again, and is onboarded', async () => {
  const api = apiAt(host.url);
  const node = await aNodeUp(host.url, 'node1.acme.org');
  beating = keepBeating(node, 500);
  const pair = newKeyPair();
  const { publicKey } = pair;
  const fp = fingerprintOf(publicKey);
  const drove: string[] = [];
  const drives = (what: string) => {
    drove.push(what);
    return { ok: true } as const;
  };
  daemon = startDaemon({
    api: signedClient(host.url, pair),
    machine: { fp, publicKey, fqdn: 'web1.acme.org', machineId: 'machine-1', facts: {}, tags: [] },
    driver: {
      start: async (fqdn) => drives(`start ${fqdn}`),
      stop: async () => drives('stop'),
    },
    record: { phase: 'unheard' },
    keep: () => {},
    isHeard: async () => true,
    say: () => {},
    ended: () => {},
    world,
  });
  const { state } = daemon;
  await eventually('it knocked', async () => state().phase === 'new');
  await api(contract.accept, { body: { systems: [fp] } });
  await eventually('it is onboarded', async () => state().phase === 'onboarded');

  const unregistered = await api(contract.unregister, { body: { systems: [fp] } });

  expect(unregistered.ok && unregistered.body.results).toMatchObject([{ fp, done: true }]);
  await eventually('it is onboarded again', async () => drove.length >= 3 && state().phase === 'onboarded');
  expect(drove).toEqual(['start node1.acme.org', 'stop', 'start node1.acme.org']);
  const system = await api(contract.getSystem, { params: { fp } });
  expect(system.ok && system.body).toMatchObject({ status: 'onboarded', node: { fqdn: 'node1.acme.org', confirmed: true } });
});
