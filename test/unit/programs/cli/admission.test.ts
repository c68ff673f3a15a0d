import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeId } from '../../../../lib/core/ids.ts';
import { admissionExamples as examples } from '../../../../lib/openapi/admission-examples.ts';
import { now, ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';

const pooled = examples.listNodePool.reply.items[0]!;
const alike = {
  ...pooled,
  watch: '10.9.9.9:22',
  foreignWatch: true as const,
  fp: `${pooled.fp.slice(0, 8)}${'0'.repeat(56)}`,
  fqdn: 'ssu9.acme.org',
};
const dropped = {
  ...pooled,
  fp: 'a'.repeat(64),
  fqdn: 'ssu7.acme.org',
  because: 'dropped at 2026-05-01T09:59:30.000Z; waits for readmission',
  dropped: { node: NodeId.parse('naaaaaaaaaaaaaaaa'), at: new Date(now - 7_230_000).toISOString(), planned: false },
};
const fates = ({ body }: { body: unknown }) => ({
  results: (body as { hosts: string[] }).hosts.map((host) => ({ host, done: host !== 'gone.acme.org', because: 'so it is' })),
});

let fake: FakeDeployment;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    createNodeToken: () => examples.createNodeToken.reply,
    listNodeTokens: () => examples.listNodeTokens.reply,
    revokeNodeToken: () => examples.revokeNodeToken.reply,
    listNodePool: () => ({ items: [pooled, alike, dropped] }),
    admitHosts: fates,
    rejectHosts: fates,
    removeNode: () => examples.removeNode.reply,
    replaceNode: () => examples.replaceNode.reply,
    listAdmissionRules: () => examples.listAdmissionRules.reply,
    addAdmissionRule: () => examples.addAdmissionRule.reply,
    deleteAdmissionRule: () => examples.deleteAdmissionRule.reply,
  });
});
afterAll(() => fake.stop());

const run = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: fake.url } });

describe('a command line about who becomes a node', () => {
  it.each([
    ['node token create node7.acme.org', 'createNodeToken', { body: { nodes: 'node7.acme.org', uses: 1 } }],
    [
      'node token create --nodes ssu[1-40].acme.org --uses 40 --cidr 10.0.0.0/8 --kind salt --zone emea',
      'createNodeToken',
      { body: { nodes: 'ssu[1-40].acme.org', uses: 40, cidr: '10.0.0.0/8', kind: 'salt', zone: 'emea' } },
    ],
    ['node token create node7.acme.org --any-watch', 'createNodeToken', { body: { nodes: 'node7.acme.org', anyWatch: true } }],
    ['node token list', 'listNodeTokens', { query: { limit: 200 } }],
    ['node token revoke 4q1zk0w8r2tn', 'revokeNodeToken', { params: { id: '4q1zk0w8r2tn' } }],
    ['node pool --wide', 'listNodePool', { query: { limit: 200 } }],
    [
      'node admit SSU41.acme.org --zone emea --kind salt',
      'admitHosts',
      { body: { hosts: ['ssu41.acme.org'], zone: 'emea', kind: 'salt' } },
    ],
    [`node admit ${pooled.fp.slice(0, 16)}`, 'admitHosts', { body: { hosts: [pooled.fp], anyWatch: false } }],
    ['node admit ssu41.acme.org --any-watch', 'admitHosts', { body: { hosts: ['ssu41.acme.org'], anyWatch: true } }],
    [`node reject ${pooled.fingerprint}`, 'rejectHosts', { body: { hosts: [pooled.fp] } }],
    ['node remove node7.acme.org --yes', 'removeNode', { params: { id: 'node7.acme.org' } }],
    [
      'node replace node7.acme.org Node9.acme.org --yes',
      'replaceNode',
      { params: { id: 'node7.acme.org' }, body: { by: 'node9.acme.org', force: false } },
    ],
    [`node replace node7.acme.org ${pooled.fp.slice(0, 16)} --yes`, 'replaceNode', { body: { by: pooled.fp, force: false } }],
    [`node replace node7.acme.org ${pooled.fingerprint} --force --yes`, 'replaceNode', { body: { by: pooled.fp, force: true } }],
    [
      'node rule create racks --nodes ssu[001-040].acme.org --cidr 10.20.0.0/16 --count 40',
      'addAdmissionRule',
      { body: { name: 'racks', nodes: 'ssu[001-040].acme.org', cidr: '10.20.0.0/16', left: 40 } },
    ],
    ['node rule create racks --nodes * --any-watch', 'addAdmissionRule', { body: { name: 'racks', nodes: '*', anyWatch: true } }],
    ['node rule list', 'listAdmissionRules', {}],
    ['node rule delete racks', 'deleteAdmissionRule', { params: { name: 'racks' } }],
  ])('%s › calls %s with what was asked', async (line, route, expected) => {
    expect(await run(line)).toMatchObject({ code: 0 });
    const { route: called, received } = fake.received.at(-1)!;
    expect({ route: called, ...received }).toMatchObject({ route, ...expected });
  });

  it('that makes a token › prints the secret alone, and says the rest beside it', async () => {
    const { out, err } = await run('node token create node7.acme.org');
    expect(out).toBe(`${examples.createNodeToken.reply.secret}\n`);
    expect(err).toMatch(/^token 4q1zk0w8r2tn: ssu\[1-40\]\.acme\.org, for 40 hosts, as uyuni in zone default, until 2026-05-31T12:00:00Z/);
  });

  it('that makes a token for 30 days › says until when', async () => {
    await run('node token create --nodes *.acme.org --uses 2 --expires 30d');
    const { expiresAt } = fake.received.at(-1)!.received.body as { expiresAt: string };
    expect(new Date(expiresAt).toISOString()).toBe(expiresAt);
  });

  it.each([
    ['node token create', 'a join token needs either the name of one host or --nodes'],
    ['node token create node7.acme.org --nodes *.acme.org', 'a join token needs either the name of one host or --nodes'],
    ['node token create --nodes *.acme.org', '--nodes needs --uses'],
    ['node token revoke x', 'It must be the id of a token'],
    ['node admit node_7', 'It must be the name of a host, a fingerprint'],
    ['node rule create Racks --nodes *', 'It must be the name of a rule'],
    ['node rule create racks', "required option '--nodes <pattern>' not specified"],
  ])('%s › is a usage that it explains', async (line, says) => {
    const { code, err } = await run(line);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
  });

  it('with the beginning of a fingerprint that two hosts have › does nothing', async () => {
    const { code, err } = await run(`node admit ${pooled.fp.slice(0, 8)}`);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('several keys in the pool begin with') });
  });

  it('that admits › says when the host asks again, unless none was admitted', async () => {
    expect((await run('node admit ssu41.acme.org')).err).toContain('a host that waits asks again within a minute');
    expect((await run('node admit gone.acme.org')).err).not.toContain('asks again');
    expect((await run('node reject ssu41.acme.org')).err).not.toContain('asks again');
  });

  it('that left a host undone › tells so by its exit code', async () => {
    expect(await run('node admit ssu41.acme.org gone.acme.org')).toMatchObject({
      code: 1,
      err: expect.stringContaining('1 of 2 not admitted'),
    });
  });

  it('shows tables', async () => {
    expect((await run('node token list')).out).toMatch(
      /^TOKEN +STATUS +NODES .*\n4q1zk0w8r2tn +valid +ssu\[1-40\]\.acme\.org +uyuni +default +10\.0\.0\.0\/8 +own +1\/40 /,
    );
    expect((await run('node pool')).out).toMatch(
      /^HOST +STANDING +FINGERPRINT .*\nssu41\.acme\.org +waiting +6b86b273ff34fce1 +uyuni +- +10\.1\.2\.3 +own .*\nssu9\.acme\.org .* +10\.9\.9\.9:22 .*\nssu7\.acme\.org +dropped 2h /,
    );
    expect((await run('node rule list')).out).toMatch(
      /^RULE +NODES .*\nracks +ssu\[1-40\]\.acme\.org +10\.0\.0\.0\/8 +any +default +own +40/,
    );
  });
});
