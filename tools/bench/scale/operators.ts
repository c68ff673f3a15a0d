import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { countZone } from '../../../lib/zones/tick/count.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { keyPairOf } from '../../support/signing.ts';
import { fqdnAt, nodeIdAt } from '../zone.ts';
import type { ScaleSite } from './site.ts';

/** The calls of people and automation, and the work that goes on without calls. */
export async function operatorsPlayed(site: ScaleSite): Promise<void> {
  const { play, call } = site;
  const look = (name: string, path: string) => play(name, () => call('GET', path));
  await look('overview', '/api/v1/status');
  await look('zones, a page', '/api/v1/zones?limit=10');
  await look('one zone shown', `/api/v1/zones/${defaultZone}`);
  await look('nodes, a page of 10', '/api/v1/nodes?limit=10');
  await look('one node shown', `/api/v1/nodes/${nodeIdAt(0)}`);
  await look('one node explained', `/api/v1/explain/node/${fqdnAt(0)}`);
  await look('client systems, a page of 10', '/api/v1/systems?limit=10');
  await look('client systems of a zone, a page of 10', `/api/v1/systems?zone=${defaultZone}&limit=10`);
  await look('client systems of a node, a page of 1', `/api/v1/systems?node=${fqdnAt(0)}&limit=1`);
  await look('client systems by a prefix', '/api/v1/systems?prefix=0123abcd');
  await look('client systems by a tag nobody has', '/api/v1/systems?tag=nobody');
  await look('new keys, a page', '/api/v1/systems?status=new&limit=10');
  await look('history of a node', `/api/v1/history/node/${nodeIdAt(0)}`);
  await look('audit, a page of 10', '/api/v1/audit?limit=10');
  await play('settings changed', () => call('PATCH', '/api/v1/settings', { body: { newKeysPerSource: 999 } }));
  await play('a zone changed', () => call('PATCH', `/api/v1/zones/${defaultZone}`, { body: { meanwhile: 'hold' } }));
  await play('a zone made', () => call('POST', '/api/v1/zones', { body: { name: 'emea' } }));
  await play('an empty zone deleted', () => call('POST', '/api/v1/zones/emea/delete', { body: {} }));
  await accepted(site);
  await counted(site);
}

/** A machine that brings an onboarding token at its first knock, and one that knocks with the same token after it. */
async function accepted({ play, call }: ScaleSite): Promise<void> {
  const made = await play('an onboarding token made', () => call('POST', '/api/v1/onboarding-tokens', { body: { uses: 100_000 } }));
  const { secret: token } = JSON.parse(made.body!) as { secret: string };
  const knock = (name: string) => {
    const by = keyPairOf(name);
    const body = { publicKey: by.publicKey, fqdn: `${name}.emea.acme.org`, machineId: fingerprintOf(by.publicKey).slice(0, 32), token };
    return call('POST', '/system/knock', { body, by });
  };
  await play('knock of a new key with a token', () => knock('web2'));
  await play('the next one with the same token', () => knock('web3'));
}

/** Counts a zone, in one step or in eight; only that grows with its client systems. */
async function counted({ play, shell }: ScaleSite): Promise<void> {
  await play('count of a zone', async () => {
    for (let steps = 0; !(await countZone(shell, defaultZone)); steps++) if (steps > 64) throw new Error('a count does not end');
  });
}
