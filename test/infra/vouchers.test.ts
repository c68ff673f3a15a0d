import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../infra/settings.ts';
import { resourcesOf, synthesized } from './synthesized.ts';

const principal = 'arn:aws:iam::123456789012:role/watchtower';
const watchtower = { sender: 'watchtower', principal, zones: ['default', 'emea'] };
const other = { sender: 'lookout', principal: 'arn:aws:iam::210987654321:role/lookout', zones: ['emea'] };

/** With two senders: cdk-nag has passed when there are templates. */
const templates = synthesized({ context: { vouchers: [watchtower, other] } });
const bare = synthesized();
const control = { control: templates.Control };
type Rule = {
  readonly EventPattern?: { readonly source?: readonly string[] };
  readonly Targets: readonly { readonly InputTransformer?: unknown; readonly RetryPolicy?: unknown }[];
};
const rules = (of: typeof control) => resourcesOf(of, 'AWS::Events::Rule').map(({ Properties }) => Properties as Rule);
const sourcesOf = ({ EventPattern }: Rule): readonly string[] => EventPattern?.source ?? [];

describe('a deployment that names nobody who vouches', () => {
  it('has no rule and no right for one', () => {
    expect(resourcesOf(bare, 'AWS::Events::EventBusPolicy')).toEqual([]);
    expect(JSON.stringify(bare)).not.toContain('muster.vouched');
  });

  it('hands no report on that has no type: none can look like what the rule of a sender writes', () => {
    const [reports, ...more] = rules({ control: bare.Control }).filter((rule) => sourcesOf(rule).includes('muster.report'));
    expect(more).toEqual([]);
    expect(reports!.EventPattern).toMatchObject({ detail: { type: [{ exists: true }] } });
  });
});

describe('a deployment that names who vouches', () => {
  it('has a rule for each sender, zone and queue, which writes who the sender is, the zone and when the bus took it', () => {
    const vouching = rules(control).filter((rule) => sourcesOf(rule).some((source) => source.startsWith('muster.vouched')));
    const said = vouching.map(({ EventPattern, Targets }) => ({
      pattern: EventPattern,
      input: Targets[0]!.InputTransformer,
      retry: Targets[0]!.RetryPolicy,
    }));

    expect(said).toHaveLength(6);
    expect(said).toContainEqual({
      pattern: { source: ['muster.vouched.default.watchtower'], 'detail-type': ['node.heartbeat'] },
      input: {
        InputPathsMap: { detail: '$.detail' },
        InputTemplate: '{"vouched":{"by":"watchtower","zone":"default","at":"<aws.events.event.ingestion-time>"},"report":<detail>}',
      },
      retry: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 5 },
    });
    expect(said.map(({ pattern }) => pattern)).toContainEqual({
      source: ['muster.vouched.emea.lookout'],
      'detail-type': ['node.up', 'node.ready'],
    });
  });

  it('lets each put these types under its own sources, and denies these sources to everybody else', () => {
    const statements = resourcesOf(control, 'AWS::Events::EventBusPolicy').map(({ Properties }) => Properties['Statement']);
    const Resource = { 'Fn::GetAtt': [expect.stringMatching(/^Ingest/), 'Arn'] };
    const own = ['muster.vouched.default.watchtower', 'muster.vouched.emea.watchtower'];

    expect(statements).toHaveLength(4);
    expect(statements.slice(0, 2)).toEqual([
      {
        Sid: 'cdk-watchtower-vouches',
        Effect: 'Allow',
        Principal: { AWS: principal },
        Action: 'events:PutEvents',
        Resource,
        Condition: {
          'ForAllValues:StringEquals': { 'events:source': own, 'events:detail-type': ['node.heartbeat', 'node.up', 'node.ready'] },
          Null: { 'events:source': 'false', 'events:detail-type': 'false' },
        },
      },
      {
        Sid: 'cdk-nobody-else-as-watchtower',
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'events:PutEvents',
        Resource,
        Condition: { 'ForAnyValue:StringEquals': { 'events:source': own }, ArnNotEquals: { 'aws:PrincipalArn': principal } },
      },
    ]);
  });

  it('has no more functions, queues and rights of its own', () => {
    for (const type of ['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::IAM::Policy', 'AWS::IAM::Role'])
      expect(resourcesOf(templates, type)).toEqual(resourcesOf(bare, type));
  });

  it('has room for as many as may be named, by the quotas of AWS, and for names that differ by a hyphen', () => {
    const zones = Array.from({ length: 8 }, (_, n) => (n === 0 ? 'emea1' : `emea-${n}`));
    const five = Array.from({ length: 5 }, (_, n) => ({ ...watchtower, sender: n === 0 ? 'tower1' : `tower-${n}`, zones }));
    const most = { control: synthesized({ context: { vouchers: five } }).Control };
    expect(rules(most).filter((rule) => sourcesOf(rule).some((source) => source.startsWith('muster.vouched')))).toHaveLength(80);
    for (const { Properties } of resourcesOf(most, 'AWS::SQS::QueuePolicy')) {
      const statements = (Properties['PolicyDocument'] as { Statement: readonly { Condition?: unknown }[] }).Statement;
      expect(statements.length).toBeLessThanOrEqual(20);
      expect(statements.filter(({ Condition }) => Condition).length).toBeLessThanOrEqual(10);
      expect(JSON.stringify(statements).length).toBeLessThan(8_192);
    }
    const policies = resourcesOf(most, 'AWS::Events::EventBusPolicy').map(({ Properties }) => JSON.stringify(Properties['Statement']));
    expect(policies.join().length).toBeLessThan(10_240);
  });

  it('names each once, and at most five, and no more than the policy of the bus has room for', () => {
    const settings = (vouchers: unknown) => () =>
      settingsFrom((name) => (name === 'vouchers' ? vouchers : undefined), { account: undefined, region: undefined });
    expect(settings([watchtower, watchtower])).toThrow('a sender is named twice');
    expect(settings(Array.from({ length: 6 }, (_, n) => ({ ...watchtower, sender: `tower-${n}` })))).toThrow('-c vouchers:');
    expect(settings([{ ...watchtower, principal: '*' }])).toThrow('the ARN of an IAM role or user');
    expect(settings([{ ...watchtower, zones: ['emea', 'emea'] }])).toThrow('a zone is named twice');
    const long = { ...watchtower, zones: Array.from({ length: 8 }, (_, n) => `${'z'.repeat(38)}-${n}`) };
    const senders = Array.from({ length: 5 }, (_, n) => ({ ...long, sender: `${'s'.repeat(38)}-${n}` }));
    expect(settings(senders)).toThrow('name fewer zones');
  });
});
