import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { aNodeUp } from '../../../tools/support/actors.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { storedIn } from '../../../tools/support/state.ts';
import { anIssuer, type TestIssuer } from './an-issuer.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

const node = 'node1.acme.org';

let issuer: TestIssuer;
let host: Stronghold;
beforeAll(async () => {
  issuer = await anIssuer();
  host = await aStronghold({ issuer: issuer.settings });
  const { keys } = await aNodeUp(host.url, node);
  host.keepSecret(keys.privateKey);
  await host.settle();
});
afterAll(async () => {
  await host.stop();
  await issuer.stop();
});
afterEach(() => host.unharmed());

/** A call of whoever is in these groups of the issuer. */
async function asked(groups: string[], method: string, path: string, body: object) {
  const token = await issuer.signed(issuer.claims({ sub: 'eve', groups }));
  return host.attack({ method, path: `/api/v1/zones/default/${path}`, body, headers: { authorization: `Bearer ${token}` } });
}

describe('attack 41', () => {
  const command = ['sh', '-c', 'cat /var/lib/muster-agent/ledger.json'];

  it.each([
    [['muster-operate'], 'POST', 'services/process/start', { node, configuration: { command } }],
    [['muster-operate'], 'POST', 'services/process/reconfigure', { node, configuration: { command } }],
    [['muster-admin', 'muster-security'], 'POST', 'services/process/start', { node, configuration: { command } }],
    [['muster-operate'], 'PUT', 'service-types/mine', { start: command }],
    [['muster-admin', 'muster-security'], 'PUT', 'service-types/mine', { start: command, takesCommand: false }],
  ])('attack 41: %j without execute is refused %s %s', async (groups, method, path, body) => {
    const answer = await asked(groups, method, path, body);
    expect(told(answer)).toEqual([403, 'insufficient-scope']);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="muster", error="insufficient_scope", scope="execute"');
  });

  it('attack 41: the audit has that a command was tried', async () => {
    await asked(['muster-operate'], 'POST', 'services/process/start', { node, configuration: { command } });
    const entry = await eventually('the audit has it', async () => {
      const listed = await apiAt(host.url)(contract.listAudit, { query: { limit: 200, who: 'admin:eve' } });
      return listed.ok && listed.body.items.find(({ refused }) => refused?.route.endsWith('/services/{type}/start'));
    });
    expect(entry).toMatchObject({ did: 'tried', refused: { type: 'insufficient-scope' } });
    expect(JSON.stringify(entry)).not.toContain('ledger.json');
  });
});

describe('attack 44', () => {
  const secrets = ['correct horse', 'battery staple', 'tr0ub4dor&3'];
  const [inType, first, second] = secrets as [string, string, string];
  const schema = { configuration: { properties: { password: { type: 'string', 'x-secret': true }, port: { type: 'integer' } } } };
  const by = (groups: string[], method: string, path: string, body?: object) => asked(groups, method, path, body as object);
  const seenBy = async (path: string) => {
    const token = await issuer.signed(issuer.claims({ sub: 'rita', groups: ['muster-read'] }));
    return (await host.attack({ path: `/api/v1/${path}`, headers: { authorization: `Bearer ${token}` } })).text;
  };

  it('attack 44: whoever may look is shown no secret of a configuration, and who gives back the mask loses none', async () => {
    host.keepSecret(...secrets);
    const all = ['muster-execute'];
    const start = ['true'];
    const put = { start, schema, configuration: { password: inType, port: 1 } };
    expect((await by(all, 'PUT', 'service-types/db', put)).status).toBe(200);
    expect((await by(all, 'POST', 'services/db/start', { node, configuration: { password: first, port: 1 } })).status).toBe(201);
    const masked = { password: '********', port: 2 };
    expect((await by(all, 'POST', 'services/db/reconfigure', { node, configuration: masked })).status).toBe(202);
    const stored = async () => JSON.stringify(storedIn(host.home));
    expect((await stored()).includes(first)).toBe(true);
    const variables = { command: ['true'], environment: { PASSWORD: second } };
    expect((await by(all, 'POST', 'services/process/start', { node, configuration: variables })).status).toBe(201);
    const lost = { node: 'node1.acme.org', configuration: { ...variables, environment: { OTHER: '********' } } };
    expect(told(await by(all, 'POST', 'services/process/reconfigure', lost))).toEqual([
      422,
      'configuration-invalid',
      '/configuration/environment/OTHER',
    ]);

    const id = (JSON.parse(await seenBy('nodes')) as { items: { id: string }[] }).items[0]!.id;
    const views = ['services', 'services/db/node1.acme.org', 'service-types', 'service-types/db'].map((path) => `zones/default/${path}`);
    const others = [`explain/service/db@${id}`, `history/service/db@${id}`, `nodes/${id}/debug`, 'graph?zone=default', 'dead-letters'];
    for (const path of [...views, ...others]) for (const secret of secrets) expect(await seenBy(path), path).not.toContain(secret);
    expect(JSON.parse(await seenBy('zones/default/services/db/node1.acme.org'))).toMatchObject({ configuration: masked });
    await host.settle();
  });
});
