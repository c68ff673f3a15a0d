import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../../infra/constructs/told-alarm.ts';
import { classes, reserved, throttles } from '../../infra/throttles.ts';
import { wiring } from '../../infra/wiring.ts';
import { LambdaEnv } from '../../lib/runtime/env.ts';
import { type Resource, resourcesOf, type StackName, stackNames, synthesized, type Template } from './synthesized.ts';

const templates = synthesized();
const root = join(import.meta.dirname, '../..');
const all = (type: string): Resource[] => resourcesOf(templates, type);
const properties = <T>(type: string): T[] => all(type).map((resource) => resource.Properties as T);
/** The logical id that a `Ref` or `Fn::GetAtt` names. */
const named = (reference: unknown): string => {
  const { Ref, 'Fn::GetAtt': attribute } = reference as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
  return Ref ?? attribute![0];
};

type Queue = {
  RedrivePolicy?: { deadLetterTargetArn: unknown; maxReceiveCount: number };
  VisibilityTimeout?: number;
  MessageRetentionPeriod: number;
};
type Fn = {
  Timeout: number;
  LoggingConfig: { LogGroup: unknown };
  Environment: { Variables: Record<string, unknown> };
  Runtime: string;
  Role: unknown;
};
type Mapping = { EventSourceArn: unknown; FunctionName: unknown; FunctionResponseTypes?: string[] };

const control = templates.Control.Resources;
/** Resources of the Control stack by logical id. */
const controlled = <T>(type: string): [string, { Properties: T }][] =>
  Object.entries(control).flatMap(([id, { Type, Properties }]) => (Type === type ? [[id, { Properties: Properties as T }]] : []));
const queues = controlled<Queue>('AWS::SQS::Queue');
const functions = controlled<Fn>('AWS::Lambda::Function');
const mappings = properties<Mapping>('AWS::Lambda::EventSourceMapping');

describe('queues', () => {
  const dead = new Set(
    queues.flatMap(([, { Properties }]) => (Properties.RedrivePolicy ? [named(Properties.RedrivePolicy.deadLetterTargetArn)] : [])),
  );
  it('have dead letters, or are where letters go that could not be delivered', () => {
    const without = queues.filter(([id, { Properties }]) => !Properties.RedrivePolicy && !dead.has(id)).map(([id]) => id);
    expect(without).toEqual([expect.stringMatching(/^Undelivered/)]);
    const targets = JSON.stringify([...properties('AWS::Events::Rule'), ...properties('AWS::Lambda::EventInvokeConfig')]);
    expect(targets).toContain(without[0]);
  });
  it('keep dead letters for two weeks', () => {
    for (const [id, { Properties }] of queues) if (dead.has(id)) expect(Properties.MessageRetentionPeriod).toBe(14 * 86_400);
  });
  it('hide a message for at least six times as long as its consumer may take', () => {
    const timeout = new Map(functions.map(([id, { Properties }]) => [id, Properties.Timeout]));
    const consumed = mappings.filter(({ EventSourceArn }) => 'Fn::GetAtt' in (EventSourceArn as object));
    expect(consumed).toHaveLength(Object.keys(wiring.queues).length);
    for (const { EventSourceArn, FunctionName } of consumed) {
      const queue = control[named(EventSourceArn)]!.Properties as Queue;
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeout.get(named(FunctionName))!);
    }
  });
  it('keep a message until its last receive, so that none ages out before it can become a dead letter', () => {
    const handedOut = queues.flatMap(([, { Properties }]) => (Properties.RedrivePolicy ? [Properties] : []));
    expect(handedOut).toHaveLength(Object.keys(wiring.queues).length);
    for (const { MessageRetentionPeriod, VisibilityTimeout, RedrivePolicy } of handedOut)
      expect(MessageRetentionPeriod).toBeGreaterThan(VisibilityTimeout! * (RedrivePolicy!.maxReceiveCount - 1));
  });
  it('refuse calls without TLS', () => {
    expect(all('AWS::SQS::QueuePolicy')).toHaveLength(queues.length);
    for (const policy of properties('AWS::SQS::QueuePolicy')) expect(JSON.stringify(policy)).toContain('"aws:SecureTransport":"false"');
  });
});

describe('functions', () => {
  it('are those of the wiring, on Node.js 24 and arm64, each with a role of its own', () => {
    expect(functions).toHaveLength(Object.keys(wiring.functions).length);
    for (const [, { Properties }] of functions) expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    expect(new Set(functions.map(([, { Properties }]) => named(Properties.Role))).size).toBe(functions.length);
  });
  it('log where somebody has said for how long', () => {
    for (const [, { Properties }] of functions) expect(control[named(Properties.LoggingConfig.LogGroup)]?.Type).toBe('AWS::Logs::LogGroup');
    for (const group of properties<{ RetentionInDays?: number }>('AWS::Logs::LogGroup')) expect(group.RetentionInDays).toBe(30);
  });
  it('are told everything that they check at cold start', () => {
    const known = Object.keys(LambdaEnv.shape);
    for (const [, { Properties }] of functions) {
      const told = Object.keys(Properties.Environment.Variables);
      expect(known).toEqual(expect.arrayContaining(told));
      expect(told).toEqual(expect.arrayContaining(['MUSTER_DEPLOYMENT', 'MUSTER_TABLE']));
    }
  });
  it('hand back single records, never whole batches', () => {
    expect(mappings).toHaveLength(Object.keys(wiring.queues).length + 2);
    for (const { FunctionResponseTypes } of mappings) expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });
  it('follow the stream for rows that emit, without end, and put what would age out into a bucket', () => {
    const streams = mappings.filter((mapping) => 'FilterCriteria' in mapping);
    const endless = {
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: 23 * 3_600,
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    };
    const emitting = (as: string) => ({ Filters: [{ Pattern: `{"dynamodb":{"NewImage":{"emits":{"N":["${as}"]}}}}` }] });
    expect(streams).toMatchObject([
      { ...endless, FilterCriteria: emitting('1'), MaximumBatchingWindowInSeconds: 0 },
      { ...endless, FilterCriteria: emitting('2'), MaximumBatchingWindowInSeconds: 10 },
    ]);
  });
});

describe('room to run', () => {
  const atOnceOf = (of: Record<StackName, Template>) =>
    Object.fromEntries(
      resourcesOf({ Control: of.Control }, 'AWS::Lambda::Function').flatMap(
        ({ Properties: { Description, ReservedConcurrentExecutions } }) =>
          ReservedConcurrentExecutions === undefined ? [] : [[String(Description).replace('Muster: ', ''), ReservedConcurrentExecutions]],
      ),
    );
  it('is reserved for nobody unless it is asked for: a new account has none to give', () => expect(atOnceOf(templates)).toEqual({}));
  it('is reserved for heartbeats and the sweep where it is asked for', () => {
    const asked = synthesized({ context: { reserve: 'on' } });
    expect(atOnceOf(asked)).toEqual(reserved);
    expect(Object.keys(reserved)).toEqual(['node-door', 'heartbeats', 'sweep']);
  });
});

describe('permissions', () => {
  type Statement = { Effect: string; Action: string | string[]; Resource: unknown };
  type Role = { Policies?: { PolicyDocument: { Statement: Statement[] } }[]; ManagedPolicyArns?: unknown };
  const roles = properties<Role>('AWS::IAM::Role');
  const statements = roles.flatMap(({ Policies = [] }) => Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement));
  it('stand in the roles alone, with no managed policy and none beside them', () => {
    expect(all('AWS::IAM::Policy')).toEqual([]);
    expect(roles.filter(({ ManagedPolicyArns }) => ManagedPolicyArns)).toEqual([]);
  });
  it('name every action, without a wildcard', () => {
    expect(statements.length).toBeGreaterThan(functions.length);
    for (const { Action } of statements) expect([Action].flat().filter((action) => action.includes('*'))).toEqual([]);
  });
  it('name every resource; only keys of objects end in a wildcard: of late records, and of what is stored for the table', () => {
    const wild = statements.filter(({ Resource }) => JSON.stringify(Resource).includes('*'));
    const late = /ExportsOutputFnGetAttLate[^"]+"\},"\/aws\/lambda\/\*"\]/;
    const stored = /ExportsOutputFnGetAttObjects[^"]+"\},"\/",\{"Fn::ImportValue":"[^"]+ExportsOutputRefTable[^"]+"\},"\/\*"\]/;
    const of = (which: RegExp) => wild.filter(({ Resource }) => which.test(JSON.stringify(Resource))).map(({ Action }) => Action);
    expect(of(late)).toEqual(['s3:PutObject']);
    expect(of(stored).map(String).sort()).toEqual([
      's3:DeleteObject,s3:GetObject,s3:PutObject',
      's3:GetObject',
      's3:GetObject',
      's3:GetObject,s3:PutObject',
    ]);
    expect(wild).toHaveLength(5);
  });
});

describe('what must survive', () => {
  it('is kept when its stack goes or a change would replace it', () => {
    const kept = [
      'AWS::DynamoDB::GlobalTable',
      'AWS::SecretsManager::Secret',
      'AWS::KMS::Key',
      'AWS::S3::Bucket',
      'AWS::Cognito::UserPool',
    ].flatMap(all);
    expect(kept).toHaveLength(7);
    for (const { DeletionPolicy, UpdateReplacePolicy } of kept)
      expect({ DeletionPolicy, UpdateReplacePolicy }).toEqual({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });
  it('is a table with point-in-time recovery, deletion protection, expiry, a stream and our own key', () => {
    const [table] = properties<Record<string, unknown> & { GlobalSecondaryIndexes: { Projection: unknown }[] }>(
      'AWS::DynamoDB::GlobalTable',
    );
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
    });
    expect(table!.GlobalSecondaryIndexes.map(({ Projection }) => Projection)).toEqual(Array(3).fill({ ProjectionType: 'KEYS_ONLY' }));
  });
});

describe('the API', () => {
  const routes = properties<{ RouteKey: string; AuthorizationType: string }>('AWS::ApiGatewayV2::Route');
  it('has the wired routes, HEAD wherever there is GET, and no other', () => {
    const wired = Object.values(wiring.functions).flatMap(({ routes: own = [] }): readonly string[] => own);
    const heads = wired.flatMap((route) => (route.startsWith('GET ') ? [route.replace('GET', 'HEAD')] : []));
    expect(heads).toContain('HEAD /system/status');
    expect(routes.map(({ RouteKey }) => RouteKey).toSorted()).toEqual([...wired, ...heads].toSorted());
  });
  it('leaves it to the functions who may call: an authorizer sees no body, and has no room for keys beside tokens', () => {
    expect(new Set(routes.map(({ AuthorizationType }) => AuthorizationType))).toEqual(new Set(['NONE']));
    expect(all('AWS::ApiGatewayV2::Authorizer')).toEqual([]);
  });
  it('answers on its root path, throttled, with access logs', () => {
    expect(properties('AWS::ApiGatewayV2::Stage')).toEqual([
      expect.objectContaining({
        StageName: '$default',
        DefaultRouteSettings: { ThrottlingRateLimit: 5_000, ThrottlingBurstLimit: 2_500 },
        AccessLogSettings: {
          DestinationArn: expect.anything(),
          Format: expect.stringMatching(/context\.requestId.*context\.integrationErrorMessage/),
        },
      }),
    ]);
  });
  it('lets as much through by each route as its class may have, once the routes are there', () => {
    type Stage = { Properties: { RouteSettings: unknown }; DependsOn: string[] };
    const [stage] = all('AWS::ApiGatewayV2::Stage') as unknown as Stage[];
    const limits = Object.entries(classes).map(([route, found]) => {
      const { rateLimit, burstLimit } = throttles[found];
      return [route, { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit }];
    });
    expect(stage!.Properties.RouteSettings).toEqual(Object.fromEntries(limits));
    const made = Object.entries(templates.Api.Resources).flatMap(([id, { Type }]) => (Type === 'AWS::ApiGatewayV2::Route' ? [id] : []));
    expect(stage!.DependsOn).toEqual(expect.arrayContaining(made));
  });
});

describe('alarms', () => {
  const alarms = properties<{ AlarmName: string; AlarmDescription: string; AlarmActions: unknown[]; OKActions: unknown[] }>(
    'AWS::CloudWatch::Alarm',
  );
  const headings = [...readFileSync(join(root, 'docs/runbook.md'), 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading]) =>
    anchorOf(heading!),
  );
  it('say in a sentence what has happened, and name a heading of the runbook', () => {
    expect(alarms.length).toBeGreaterThan(20);
    for (const { AlarmName, AlarmDescription } of alarms) {
      const [, anchor] = /^[A-Z].+\. What to do: docs\/runbook\.md#([a-z0-9-]+)$/.exec(AlarmDescription) ?? [];
      expect(headings, AlarmName).toContain(anchor);
    }
  });
  it('tell somebody', () => {
    for (const { AlarmActions } of alarms) expect(AlarmActions).toHaveLength(1);
  });
  it('may publish on every topic they name, from this account alone', () => {
    type Policy = { Topics: unknown[]; PolicyDocument: { Statement: unknown[] } };
    const policies = properties<Policy>('AWS::SNS::TopicPolicy');
    for (const topic of alarms.flatMap(({ AlarmActions, OKActions }) => [...AlarmActions, ...OKActions]))
      expect(policies.find(({ Topics }) => Topics.map(named).includes(named(topic)))?.PolicyDocument.Statement).toContainEqual({
        Sid: 'AlarmsOfThisAccount',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: topic,
        Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } },
      });
  });
  it('stand behind every heading of the runbook that is not about reading it or a thing to do without an alarm', () => {
    const told = new Set(alarms.map(({ AlarmDescription }) => AlarmDescription.split('#')[1]));
    expect(headings.filter((heading) => !told.has(heading))).toEqual([
      'how-to-look',
      'replacing-the-token-keys',
      'replacing-the-origin-secret',
      'replacing-a-node',
      'client-systems-with-one-key-for-two-machines',
      'client-systems-with-one-machine-id-or-one-name',
      'webhooks-do-not-arrive',
      'audit-verify-found-something',
    ]);
  });
});

describe('Data, Control and Api', () => {
  // What a local emulator deploys, so that a real deploy can be part of the checks. Anything else belongs to Ops, or is
  // left out as Identity is by naming an issuer.
  const deployable: Readonly<Record<Exclude<StackName, 'Identity' | 'Ops'>, readonly string[]>> = {
    Data: ['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::SecretsManager::Secret'],
    Control: [
      'AWS::Events::EventBus',
      'AWS::Events::Rule',
      'AWS::IAM::Role',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::SQS::Queue',
      'AWS::SQS::QueuePolicy',
    ],
    Api: [
      'AWS::ApiGatewayV2::Api',
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
      'AWS::ApiGatewayV2::Stage',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
    ],
  };
  it.each(Object.entries(deployable))('%s uses only resource types that emulators deploy', (stack, types) => {
    const used = new Set(Object.values((templates as Record<string, Template>)[stack]!.Resources).map(({ Type }) => Type));
    expect([...used].toSorted()).toEqual([...types].toSorted());
  });
});

describe('a deployment', () => {
  it('has its stacks', () => expect(Object.keys(templates).toSorted()).toEqual([...stackNames].toSorted()));
  // Tags say the same on every resource, and metadata, rules and parameters are the CDK's own; none of it changes what
  // runs.
  const noise = new Set(['Tags', 'Metadata', 'Rules', 'Parameters']);
  const withoutNoise = (key: string, value: unknown): unknown => (noise.has(key) ? undefined : value);
  it.each(stackNames)('has the template of %s as it was reviewed', async (name) => {
    await expect(`${JSON.stringify(templates[name], withoutNoise, 1)}\n`).toMatchFileSnapshot(`snapshots/${name.toLowerCase()}.out`);
  });
});
