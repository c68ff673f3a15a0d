import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { keyPairOf } from '../../support/signing.ts';
import type { ScaleSite } from './site.ts';

/** The life of one client system among all the others, from its first knock until it is banned. */
export async function clientsPlayed(site: ScaleSite): Promise<void> {
  const { play, call, shell } = site;
  const by = keyPairOf('one more client system');
  const fp = fingerprintOf(by.publicKey);
  const report = { publicKey: by.publicKey, fqdn: 'web1.emea.acme.org', machineId: fp.slice(0, 32), facts: { os: 'sles-15.6' } };
  let [token, body] = ['', ''];
  const step = (name: string, made: () => ReturnType<typeof call>) =>
    play(name, async () => {
      const reply = await made();
      token = reply.headers?.['muster-token'] ?? token;
      body = reply.body ?? '';
    });
  const knock = (more: object = {}) => call('POST', '/system/knock', { body: { ...report, ...more }, by });
  const get = (path: string, sent = { 'muster-token': token }) => call('GET', `${path}?fp=${fp}`, { headers: sent as never });
  const order = (verb: string) => call('POST', `/api/v1/systems/${verb}`, { body: { systems: [fp] } });

  await step('knock of a new key', () => knock());
  await step('accept', () => order('accept'));
  await step('knock once accepted', () => knock());
  await step('orphan: told a node', () => get('/system/orphan'));
  await step('knock that confirms', () => knock({ confirmed: body }));
  await step('knock at a start', () => knock());
  await step('knock that its node is lost', () => knock({ lost: true }));
  await step('status by token', () => get('/system/status'));
  await step('status without a token', () => get('/system/status', {} as never));
  await play('status by token, the zone read anew', () => {
    shell.step(6 * secondMs);
    return get('/system/status');
  });
  shell.step(61 * minuteMs);
  await step('status by token, renewed', () => get('/system/status'));
  await play('tags of a client system', () => call('PATCH', `/api/v1/systems/${fp}`, { body: { tags: ['blue'] } }));
  await play('one client system shown', () => call('GET', `/api/v1/systems/${fp}`));
  await play('one client system explained', () => call('GET', `/api/v1/explain/system/${fp}`));
  await play('metadata set', () => call('PUT', `/api/v1/systems/${fp}/metadata/notes`, { body: { document: { text: 'blue' } } }));
  await play('unregister', () => order('unregister'));
  await step('orphan with a token that was revoked', () => get('/system/orphan'));
  await play('ban', () => order('ban'));
}
