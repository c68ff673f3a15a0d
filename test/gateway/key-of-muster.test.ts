import { describe, expect, it } from 'vitest';
import admin from '../../functions/admin.ts';
import { withBearer } from '../../lib/api/bearer.ts';
import { apiClient, type Fetching } from '../../lib/api/client.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import type { Rights } from '../../lib/identity/rights.ts';
import { whatKeyMay } from '../../programs/gateway/key-of-muster.ts';
import { aRequest } from '../../tools/support/a-request.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { aKey } from '../support/callers.ts';

const [emea, apac] = [ZoneName.parse('emea'), ZoneName.parse('apac')];
const shell = aShell();
/** Reaches the function of Muster without a network between. */
const fetching: Fetching = async (url, { method, headers }) => {
  const { status, body, headers: more = {} } = await admin.handle(aRequest({ method, path: new URL(url).pathname, headers }), shell);
  return new Response(body, { status, headers: more });
};
const saidWith = (token: string, how = fetching) => whatKeyMay(apiClient('http://muster', { fetching: withBearer(() => token, how) }));

const none = 'no scope number: actions have no numbers of the cluster, and one for systems of several servers is refused';
const noEdit = 'it has no scope edit: what changes common content is refused, unless --seat names a server';

describe('what a gateway says of its key', () => {
  it.each<[Rights, string]>([
    [{ number: 'all', edit: 'all' }, 'its key may number actions; it may edit common content'],
    [{ number: [emea, apac], edit: [emea], read: 'all' }, 'its key may number actions in apac, emea; it may edit common content in emea'],
    [
      { operate: [emea] },
      'its key may number actions in emea; it may edit common content in emea; it also has operate, which no gateway needs',
    ],
    [{ number: 'all', security: [emea] }, `its key may number actions; ${noEdit}; it also has security, which no gateway needs`],
    [{ read: 'all' }, `its key has ${none}; ${noEdit}`],
    [{ report: 'all' }, `its key has ${none}; ${noEdit}; it also has report, which no gateway needs`],
  ])('of %j', async (rights, said) => {
    expect(await saidWith((await aKey(shell, rights)).text)).toBe(said);
  });

  it('is why, where Muster does not tell', async () => {
    expect(await saidWith('mak_none')).toMatch(/^Muster does not say what its key may do: the token /);
    const broken: Fetching = () => Promise.reject(new Error('the connection broke'));
    expect(await saidWith('mak_none', broken)).toMatch(/^Muster does not say what its key may do: .*the connection broke$/);
  });
});
