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
/**
 * The bytes of what a template says, with tokens for the names of account, region and resource: about as long as these.
 */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
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
        Condition: {
          'ForAnyValue:StringLike': { 'events:source': 'muster.vouched.*.watchtower' },
          ArnNotEquals: { 'aws:PrincipalArn': principal },
        },
      },
    ]);
  });

  it('has no more functions, queues and rights of its own', () => {
    for (const type of ['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::IAM::Policy', 'AWS::IAM::Role'])
      expect(resourcesOf(templates, type)).toEqual(resourcesOf(bare, type));
  });

  it('has names that differ in a hyphen alone', () => {
    const tower = { sender: 'tower-1', principal, zones: ['emea-1', 'emea1', 'a-b'] };
    const all = [tower, { ...tower, sender: 'tower1' }, { ...tower, sender: 'b-tower-1', zones: ['a'] }];
    const { Control } = synthesized({ context: { vouchers: all } });
    expect(
      rules({ control: Control }).filter((rule) => sourcesOf(rule).some((source) => source.startsWith('muster.vouched'))),
    ).toHaveLength(14);
  });

  it('fits into what AWS takes, as large as it may be', () => {
    const long = (text: string): string => text.padEnd(40, 'x');
    const vouchers = Array.from({ length: 5 }, (_, n) => ({
      sender: long(`sender-${n}`),
      principal: `arn:aws:iam::123456789012:role/${long(`role-${n}`)}`,
      zones: Array.from({ length: 8 }, (_, at) => `a-zone-of-usual-length-${n}-${at}`),
    }));
    const { Control } = synthesized({ context: { vouchers } });
    const statements = resourcesOf({ control: Control }, 'AWS::Events::EventBusPolicy').map(({ Properties }) => Properties['Statement']);
    expect(bytesOf({ Version: '2012-10-17', Statement: statements })).toBeLessThanOrEqual(10_240);
    expect(rules({ control: Control }).length).toBeLessThanOrEqual(100);
    for (const { Properties } of resourcesOf({ control: Control }, 'AWS::SQS::QueuePolicy')) {
      const { Statement } = Properties['PolicyDocument'] as { readonly Statement: readonly { readonly Condition?: object }[] };
      expect(Statement.length).toBeLessThanOrEqual(20);
      expect(Statement.filter(({ Condition }) => Condition).length).toBeLessThanOrEqual(10);
      expect(bytesOf(Properties['PolicyDocument'])).toBeLessThanOrEqual(8_192);
    }
  });

  it('is refused before a deploy where the names are too long for the policy of a bus', () => {
    const vouchers = Array.from({ length: 5 }, (_, n) => ({
      sender: `sender-${n}`,
      zones: Array.from({ length: 8 }, (_, at) => `zone-${at}`.padEnd(40, 'x')),
      principal: `arn:aws:iam::123456789012:role/${'path/'.repeat(100)}role-${n}`,
    }));
    expect(() => synthesized({ context: { vouchers } })).toThrow(/-c vouchers: the policy of the ingest bus would have \d+ bytes/);
  });

  it('lets the rules of the ingest bus, and no others, hand events to its queues', () => {
    const added = resourcesOf(control, 'AWS::SQS::QueuePolicy').flatMap(
      ({ Properties }) => (Properties['PolicyDocument'] as { Statement: { Sid?: string; Condition?: unknown }[] }).Statement,
    );
    const ours = added.filter(({ Sid }) => Sid === 'RulesOfTheIngestBus');
    expect(ours).toHaveLength(3);
    expect(JSON.stringify(ours[0]!.Condition)).toMatch(/^\{"ArnLike":\{"aws:SourceArn":.*:rule\/",\{"Ref":"Ingest[^"]+"\},"\/\*"/);
  });

  it('names each once, and at most five', () => {
    const settings = (vouchers: unknown) => () =>
      settingsFrom((name) => (name === 'vouchers' ? vouchers : undefined), { account: undefined, region: undefined });
    expect(settings([watchtower, watchtower])).toThrow('a sender is named twice');
    expect(settings(Array.from({ length: 6 }, (_, n) => ({ ...watchtower, sender: `tower-${n}` })))).toThrow('-c vouchers:');
    expect(settings([{ ...watchtower, zones: ['default', 'default'] }])).toThrow('a zone of a sender is named twice');
    expect(settings([{ ...watchtower, principal: '*' }])).toThrow('the ARN of an IAM role or user');
  });
});
