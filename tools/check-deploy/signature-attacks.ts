import { randomUUID } from 'node:crypto';
import { signingHeaders } from '../../lib/api/signed.ts';
import { type KeyPair, newKeyPair } from '../../lib/identity/key-pair.ts';
import { signerOf } from '../../lib/identity/signature.ts';
import { expected } from './progress.ts';
import { allRefused, type Expected, type RawCall, type RawFetch } from './refused.ts';

/** A node that was admitted: its id, and the key that it signs by. */
export type Victim = { readonly id: string; readonly pair: KeyPair };

const invalid: Expected = [401, 'signature-invalid'];
const profile: Expected = [401, 'signature-profile'];
const deployment = 'Muster';
const nowS = (): number => Math.floor(Date.now() / 1000);

/** The call, signed as it should be. */
function signed(pair: KeyPair, call: RawCall, { createdS = nowS(), of = deployment } = {}): RawCall {
  const [path, query = ''] = call.path.split('?') as [string, string?];
  const what = { method: call.method, path, query, body: call.body ?? '' };
  return { ...call, headers: signerOf(pair).sign(what, { deployment: of, createdS, nonce: randomUUID() }) };
}

/** The call with its signature's own description changed. */
const changed = (call: RawCall, from: RegExp | string, to: string): RawCall => ({
  ...call,
  headers: { ...call.headers, 'signature-input': call.headers!['signature-input']!.replace(from, to) },
});

/** Signatures that must not pass for those of a node, each with its exact answer. Gives how many there were. */
export async function signatureAttacks(send: RawFetch, { id, pair }: Victim): Promise<number> {
  const thief = newKeyPair();
  const heartbeat: RawCall = { method: 'POST', path: `/nodes/${id}/heartbeat`, body: JSON.stringify({ id: 'stolen', incarnation: 1 }) };
  const good = signed(pair, heartbeat);
  const ofThief = signed(thief, heartbeat);
  const keyId = signerOf(pair).keyId;
  const knock = { method: 'POST', path: '/system/knock', body: aKnock(thief) } as const;
  const count = await allRefused(send, [
    ['no signature', heartbeat, [401, 'signature-missing']],
    ['no signature on a question', { method: 'GET', path: `/nodes/${id}/desired` }, [401, 'signature-missing']],
    ['no signature on a knock', knock, [401, 'signature-missing']],
    ['another key', ofThief, invalid],
    ['another key in the name of the right one', changed(ofThief, /keyid="[0-9a-f]+"/, `keyid="${keyId}"`), invalid],
    ['another body', { ...good, body: `${heartbeat.body} ` }, [401, 'digest-mismatch']],
    ['no digest', { ...good, headers: without(good, 'content-digest') }, [401, 'digest-mismatch']],
    ['a digest that is not covered', changed(good, ' "content-digest"', ''), [401, 'signature-coverage']],
    ['more that is covered', changed(good, '"@method"', '"@method" "date"'), profile],
    ['the same covered twice', changed(good, '"@method"', '"@method" "@method"'), profile],
    ['a second signature', changed(good, /$/, `, other=();created=${nowS()}`), profile],
    ['another algorithm', changed(good, 'ed25519', 'hmac-sha256'), profile],
    ['no algorithm', changed(good, ';alg="ed25519"', ''), profile],
    ['a long life', changed(good, /expires=\d+/, `expires=${nowS() + 3_600}`), profile],
    ['an hour ago', signed(pair, heartbeat, { createdS: nowS() - 3_600 }), [401, 'clock-skew']],
    ['ahead of time', signed(pair, heartbeat, { createdS: nowS() + 600 }), [401, 'clock-skew']],
    ['another path', { ...good, path: `/nodes/${id}/leaving` }, invalid],
    ['another query', { ...good, path: `${good.path}?more` }, invalid],
    ['another deployment', signed(pair, heartbeat, { of: 'Staging' }), invalid],
    ['a key that is not the one in the body', signed(pair, knock), [422, 'fingerprint-mismatch']],
    ['a weak key', signed(pair, { ...knock, body: aKnock({ publicKey: Buffer.alloc(32).toString('base64url') }) }), [422, 'weak-key']],
  ]);
  await tellsWhatIsNeeded(send, signed(pair, heartbeat, { createdS: nowS() - 3_600 }));
  return count;
}

/** Sends the same join twice. Throws unless the first is accepted and the second refused. */
export async function replayedJoin(send: RawFetch): Promise<void> {
  const pair = newKeyPair();
  const body = JSON.stringify({ publicKey: pair.publicKey, fqdn: 'replayed.check.test', kind: 'salt' });
  const join = signed(pair, { method: 'POST', path: '/nodes/join', body });
  const first = await send(join);
  expected('a place in the pool', first.ok, `${first.status} ${await first.text()}`);
  await allRefused(send, [['the same join once more', join, [409, 'nonce-reused']]]);
}

/** An honest caller learns from the refusal for which deployment to sign, and the time. */
async function tellsWhatIsNeeded(send: RawFetch, call: RawCall): Promise<void> {
  const { headers } = await send(call);
  const time = Number(headers.get(signingHeaders.time));
  expected('the name of the deployment', headers.get(signingHeaders.deployment) === deployment, headers.get(signingHeaders.deployment));
  expected('the time', Math.abs(time - Date.now()) < 60_000, time);
}

const without = ({ headers }: RawCall, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers!).filter(([one]) => one !== name));

const aKnock = ({ publicKey }: { readonly publicKey: string }): string =>
  JSON.stringify({ publicKey, fqdn: 'thief.check.test', machineId: 'thief' });
