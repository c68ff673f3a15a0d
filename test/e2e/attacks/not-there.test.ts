import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

/*
 * What the list of attacks also names, and Muster does not have yet. Each of these tests fails as soon as there is
 * something to attack, and whoever builds that puts the attack itself in the place of the test.
 */

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold();
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const nothing = [404, 'not-found'];
const post = (path: string, body: unknown, headers = {}) => host.attack({ method: 'POST', path, body, headers }).then(told);

describe('attack 29', () => {
  it('attack 29: there is no search language yet', async () => {
    for (const query of ['tag:', '(a%2B)%2B%24', 'a'.repeat(5_000), '%22unbalanced']) {
      expect(told(await host.attack({ path: `/api/v1/search?q=${query}` }))).toEqual(nothing);
      expect(told(await host.attack({ path: `/api/v1/systems?q=${query}` }))).toEqual([422, 'unknown-field', '/q']);
    }
  });
  it('attack 29: what can be asked for is no pattern', async () => {
    for (const tag of ['.*', '(a+)+$', '%', '*'])
      expect(told(await host.attack({ path: `/api/v1/systems?tag=${encodeURIComponent(tag)}` }))).toEqual([422, 'invalid', '/tag']);
    expect(told(await host.attack({ path: '/api/v1/systems?prefix=.*' }))).toEqual([422, 'invalid', '/prefix']);
  });
});

describe('attack 38', () => {
  it('attack 38: there are no sessions in which configuration is edited yet', async () => {
    for (const path of ['/api/v1/sessions', '/api/v1/sessions/s1/apply', '/api/v1/apply']) expect(await post(path, {})).toEqual(nothing);
  });
});

describe('attack 39', () => {
  it('attack 39: there is no XML-RPC door yet', async () => {
    const bomb = '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "aaaa">]><methodCall><methodName>&a;</methodName></methodCall>';
    for (const path of ['/rpc/api', '/RPC2', '/xmlrpc', '/rhn/manager/api'])
      expect(await post(path, bomb, { 'content-type': 'text/xml' }), path).toEqual(nothing);
  });
});
