import { ZoneName } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { adminScopes, rightsOf } from '../../lib/identity/rights.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { keyPairOf } from '../../tools/support/signing.ts';
import { aKey, showing } from './callers.ts';
import { aDeployment, type Deployment } from './deployment.ts';

type Made = Readonly<Record<string, string>>;

/**
 * A deployment of which a zone is there, and perhaps another, each with some of everything; and a key for each that may
 * do everything there.
 */
export type Tenants = {
  readonly shell: TestShell;
  /** Headers of whoever is limited to the zone. */
  readonly alpha: { readonly authorization: string };
  /** The same of the other zone; absent where that is not there. */
  readonly beta: { readonly authorization: string } | undefined;
  /** Names of things, by which calls may ask for them: the same ones whether the other zone is there or not. */
  readonly words: readonly string[];
};

export const alpha = ZoneName.parse('alpha');
export const beta = ZoneName.parse('beta');

/**
 * A deployment with the zone alpha and, where `withBeta`, the zone beta: what is of alpha is the same to the byte in
 * both.
 */
export async function someTenants(withBeta: boolean): Promise<Tenants> {
  const shell = aShell();
  const limited = async (zone: ZoneName, by: Shell) => showing((await aKey(by, rightsOf(adminScopes, [zone]))).text);
  await fill(aDeployment(shell), alpha);
  const ofAlpha = await limited(alpha, shell);
  // Ids and secrets of one zone must not depend on whether the other is there.
  const apart: TestShell = { ...aShell(), table: shell.table, queue: shell.queue, bus: shell.bus, newId: counting('other') };
  apart.randomBytes(1);
  const others = { ...apart, randomBytes: flipped(apart.randomBytes) };
  if (withBeta) await fill(aDeployment(others), beta);
  const ofBeta = withBeta ? await limited(beta, others) : undefined;
  shell.caches.clear();
  return { shell, alpha: ofAlpha, beta: ofBeta, words: wordsOf() };
}

const counting = (name: string): (() => string) => {
  let made = 0;
  return () => {
    made += 1;
    return `${name}-${made}`;
  };
};

const flipped =
  (randomBytes: Shell['randomBytes']): Shell['randomBytes'] =>
  (bytes) =>
    Uint8Array.from(randomBytes(bytes), (byte) => byte ^ 0x5a);

const machines = (zone: string) => ({
  nodes: [1, 2].map((n) => `node${n}.${zone}.test`),
  waits: `waits.${zone}.test`,
  accepted: `web.${zone}.test`,
  pooled: `new.${zone}.test`,
  banned: `bad.${zone}.test`,
});

/** Of each kind of thing something in this zone, by the calls of hosts, machines and an operator. */
async function fill({ call, deliver, sweep }: Deployment, zone: ZoneName): Promise<void> {
  const { nodes, waits, accepted, pooled, banned } = machines(zone);
  const asked = async (method: string, path: string, body?: object): Promise<Made> => {
    const reply = await call(method, `/api/v1/${path}`, body);
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.body}`);
    return JSON.parse(reply.body ?? '{}') as Made;
  };
  await asked('POST', 'zones', { name: zone });
  for (const fqdn of nodes) {
    const keys = keyPairOf(fqdn);
    const { secret } = await asked('POST', 'node-tokens', { nodes: fqdn, kind: 'salt', zone });
    await call('POST', '/nodes/join', { publicKey: keys.publicKey, fqdn, kind: 'salt', token: secret }, keys);
  }
  await deliver();
  await asked('POST', 'admission-rules/everyone/delete', {}).catch(() => undefined);
  const host = keyPairOf(waits);
  await call('POST', '/nodes/join', { publicKey: host.publicKey, fqdn: waits, kind: 'salt', zone }, host);
  for (const fqdn of [accepted, pooled, banned]) {
    const keys = keyPairOf(fqdn);
    const knock = { publicKey: keys.publicKey, fqdn, machineId: `machine-${fqdn}`, zone };
    await call('POST', '/system/knock', knock, keys);
  }
  await asked('POST', 'systems/accept', { systems: [fingerprintOf(keyPairOf(accepted).publicKey)], zone, tags: ['web'] });
  await asked('POST', 'systems/ban', { systems: [fingerprintOf(keyPairOf(banned).publicKey)] });
  await asked('PUT', `systems/${fingerprintOf(keyPairOf(accepted).publicKey)}/metadata/notes`, { document: { of: zone } });
  await asked('POST', 'onboarding-tokens', { zone });
  await asked('POST', 'webhooks', { url: `https://hooks.${zone}.test/`, zones: [zone] });
  await asked('PUT', `zones/${zone}/stations`, { hosts: nodes });
  await sweep();
}

/** Whatever a call may name: things of both zones, and what there is not. */
function wordsOf(): readonly string[] {
  const named = [alpha, beta].flatMap((zone) => {
    const { nodes, ...others } = machines(zone);
    const fqdns = [...nodes, ...Object.values(others)];
    return [zone, ...fqdns, ...fqdns.map((fqdn) => fingerprintOf(keyPairOf(fqdn).publicKey))];
  });
  return [...named, 'nowhere', 'default', 'nobody.nowhere.test', 'notes', 'web'];
}
