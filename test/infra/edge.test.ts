import { describe, expect, it } from 'vitest';
import { edgeRates, managedRules } from '../../infra/edge.ts';
import { settingsFrom } from '../../infra/settings.ts';
import { wiring } from '../../infra/wiring.ts';
import { bodyBytesMax } from '../../lib/api/json.ts';
import { Problem } from '../../lib/api/problem.ts';
import { resourcesOf, synthesized, type Template } from './synthesized.ts';

const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11';
const context = { edge: 'on', edgeDomain: 'muster.acme.org', edgeCertificate: certificate };
/** In eu-central-1, with the edge in us-east-1: cdk-nag has passed when there is a template. */
const templates = synthesized({ context }) as unknown as Readonly<Record<string, Template>>;
const only = <T>(type: string, from: Readonly<Record<string, Template>> = templates): T => {
  const [found, ...others] = resourcesOf(from, type);
  if (!found || others.length > 0) throw new Error(`not exactly one ${type}`);
  return found.Properties as T;
};
type Behavior = Record<string, unknown>;
type Config = {
  DefaultCacheBehavior: Behavior;
  CacheBehaviors: Behavior[];
  Origins: [{ DomainName: unknown; CustomOriginConfig: unknown; OriginCustomHeaders: [{ HeaderName: string; HeaderValue: unknown }] }];
};
const { DistributionConfig: config } = only<{ DistributionConfig: Config }>('AWS::CloudFront::Distribution');
const secretNames = (from: Readonly<Record<string, Template>>) =>
  resourcesOf(from, 'AWS::SecretsManager::Secret').flatMap(({ Properties }) => Properties['Name'] ?? []);

describe('the edge', () => {
  it('is called by its own name, over TLS 1.2 at the least, HTTP/2 and HTTP/3', () => {
    expect(config).toMatchObject({
      Aliases: ['muster.acme.org'],
      HttpVersion: 'http2and3',
      ViewerCertificate: { AcmCertificateArn: certificate, MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
      DefaultCacheBehavior: { ViewerProtocolPolicy: 'https-only' },
    });
  });
  it('keeps no answer of the API, takes every method, and forwards all that a signature covers: everything but the host', () => {
    expect(config.DefaultCacheBehavior).toMatchObject({
      // AWS's own policies CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      Compress: false,
    });
    expect(config.DefaultCacheBehavior).not.toHaveProperty('FunctionAssociations');
    expect(config.DefaultCacheBehavior).not.toHaveProperty('LambdaFunctionAssociations');
  });
  it('caches files of the page alone: by their path and encoding, and for as long as they say themselves', () => {
    const [page, ...others] = config.CacheBehaviors;
    expect(others).toEqual([]);
    expect(page).toMatchObject({
      PathPattern: '/ui/*',
      AllowedMethods: ['GET', 'HEAD'],
      ViewerProtocolPolicy: 'https-only',
      Compress: false,
    });
    expect(page).not.toHaveProperty('OriginRequestPolicyId');
    expect(only('AWS::CloudFront::CachePolicy')).toMatchObject({
      CachePolicyConfig: {
        MinTTL: 0,
        DefaultTTL: 0,
        ParametersInCacheKeyAndForwardedToOrigin: {
          CookiesConfig: { CookieBehavior: 'none' },
          HeadersConfig: { HeaderBehavior: 'none' },
          QueryStringsConfig: { QueryStringBehavior: 'none' },
          EnableAcceptEncodingBrotli: true,
          EnableAcceptEncodingGzip: true,
        },
      },
    });
  });
  it('reaches the API over TLS 1.2 alone, and shows it the secret, which no template holds', () => {
    const [origin] = config.Origins;
    expect(origin.CustomOriginConfig).toMatchObject({ OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] });
    expect(origin.OriginCustomHeaders).toEqual([
      { HeaderName: 'muster-origin', HeaderValue: '{{resolve:secretsmanager:Muster/origin:SecretString:current::}}' },
      { HeaderName: 'muster-name', HeaderValue: 'muster.acme.org' },
    ]);
    expect(JSON.stringify(origin.DomainName)).toContain('Fn::GetStackOutput');
  });
  it('shows the version of the secret that it is told to', () => {
    const edgeSecretVersion = '0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11';
    const again = synthesized({ context: { ...context, edgeSecretVersion } }) as unknown as Readonly<Record<string, Template>>;
    expect(JSON.stringify(again['Edge'])).toContain(`{{resolve:secretsmanager:Muster/origin:SecretString:current::${edgeSecretVersion}}}`);
  });
  it('answers with headers that keep a browser from running, framing or guessing anything', () => {
    expect(only('AWS::CloudFront::ResponseHeadersPolicy')).toMatchObject({
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: {
          StrictTransportSecurity: { AccessControlMaxAgeSec: 365 * 86_400 },
          ContentTypeOptions: { Override: true },
          FrameOptions: { FrameOption: 'DENY' },
          ReferrerPolicy: { ReferrerPolicy: 'no-referrer' },
          ContentSecurityPolicy: { ContentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'", Override: false },
        },
      },
    });
  });
  it('keeps access logs for 90 days in a bucket of its own that nobody else may read', () => {
    expect(config).toMatchObject({ Logging: { Bucket: expect.anything(), IncludeCookies: false } });
    expect(only('AWS::S3::Bucket', { Edge: templates['Edge']! })).toMatchObject({
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 90 }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
  });
  it('needs no function of its own, nor any role', () => {
    const types = Object.values(templates['Edge']!.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => /Lambda|IAM|Custom/.test(type))).toEqual([]);
  });
  it('has the template that was reviewed', async () => {
    const noise = new Set(['Tags', 'Metadata', 'Rules', 'Parameters']);
    // The rules of the filter are resources' own, and no noise.
    const { Filter, ...others } = templates['Edge']!.Resources;
    const shown = JSON.stringify({ others }, (key, value: unknown) => (noise.has(key) ? undefined : value), 1);
    await expect(`${shown}\n${JSON.stringify(Filter, null, 1)}\n`).toMatchFileSnapshot('snapshots/edge.out');
  });
});

type Rule = { Name: string; Priority: number; Statement: Record<string, Record<string, unknown>>; Action?: object };
describe('the filter of the edge', () => {
  const filter = only<{ Scope: string; Rules: Rule[]; CustomResponseBodies: Record<string, { Content: string }> }>('AWS::WAFv2::WebACL');
  const rule = (name: string): Rule => filter.Rules.find(({ Name }) => Name === name)!;
  it('is of the kind that CloudFront takes, and stands before the distribution', () => {
    expect(filter.Scope).toBe('CLOUDFRONT');
    expect(config).toMatchObject({ WebACLId: { 'Fn::GetAtt': ['Filter', 'Arn'] } });
  });
  it('turns away bodies that are larger than the functions take, and no smaller ones', () => {
    expect(filter).toMatchObject({ AssociationConfig: { RequestBody: { CLOUDFRONT: { DefaultSizeInspectionLimit: 'KB_64' } } } });
    expect(rule('body-size').Statement).toMatchObject({
      SizeConstraintStatement: { ComparisonOperator: 'GT', Size: bodyBytesMax, FieldToMatch: { Body: { OversizeHandling: 'MATCH' } } },
    });
  });
  it('counts calls by address: joins, bearers, knocks, and all of them', () => {
    const counted = filter.Rules.filter(({ Statement }) => 'RateBasedStatement' in Statement);
    expect(counted.map(({ Name, Statement }) => [Name, Statement['RateBasedStatement']!['Limit']])).toEqual(
      edgeRates.map(({ name, calls }) => [`rate-${name}`, calls]),
    );
    for (const { Statement } of counted)
      expect(Statement['RateBasedStatement']).toMatchObject({ AggregateKeyType: 'IP', EvaluationWindowSec: 300 });
  });
  it('names paths that the API has', () => {
    const paths = Object.values(wiring.functions).flatMap(({ routes = [] }) => routes.map((route: string) => route.split(' ')[1]!));
    for (const { prefix } of edgeRates) if (prefix) expect(paths.some((path) => path.startsWith(prefix))).toBe(true);
  });
  it('answers as the functions do', () => {
    const bodies = Object.entries(filter.CustomResponseBodies).map(
      ([name, { Content }]) => [name, Problem.parse(JSON.parse(Content))] as const,
    );
    expect(bodies.map(([name, { type, status }]) => [name, type, status])).toEqual([
      ['too-large', 'urn:muster:problem:too-large', 413],
      ['rate-limited', 'urn:muster:problem:rate-limited', 429],
    ]);
    expect(rule('rate-knock').Action).toMatchObject({
      Block: { CustomResponse: { ResponseCode: 429, ResponseHeaders: [{ Name: 'retry-after', Value: '300' }] } },
    });
  });
  it("has AWS's rules for common attacks and known bad input, of which those that would harm machines only count, each for a reason", () => {
    for (const { name, counted } of managedRules) {
      expect(rule(name).Statement['ManagedRuleGroupStatement']).toMatchObject({
        VendorName: 'AWS',
        RuleActionOverrides: Object.keys(counted).map((one) => ({ Name: one, ActionToUse: { Count: {} } })),
      });
      for (const reason of Object.values(counted)) expect(reason.length).toBeGreaterThan(20);
    }
  });
  it('has each rule once, in one order', () => {
    expect(filter.Rules.map(({ Priority }) => Priority)).toEqual(filter.Rules.map((_rule, at) => at));
  });
});

describe('the origin secret', () => {
  it('is made by Secrets Manager, and replicated to where CloudFormation deploys the edge', () => {
    expect(resourcesOf(templates, 'AWS::SecretsManager::Secret').map(({ Properties }) => Properties)).toContainEqual(
      expect.objectContaining({
        Name: 'Muster/origin',
        ReplicaRegions: [{ Region: 'us-east-1' }],
        GenerateSecretString: { ExcludePunctuation: true, GenerateStringKey: 'current', PasswordLength: 64, SecretStringTemplate: '{}' },
      }),
    );
  });
  it('is read by the functions with routes, and by no other', () => {
    const reading = resourcesOf(templates, 'AWS::Lambda::Function').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('MUSTER_ORIGIN_SECRET'),
    );
    expect(reading).toHaveLength(Object.values(wiring.functions).filter(({ routes }) => routes).length);
    const granted = resourcesOf(templates, 'AWS::IAM::Role').filter(({ Properties }) =>
      /GetSecretValue[^}]*\}?[^[]*Origin/.test(JSON.stringify(Properties)),
    );
    expect(granted).toHaveLength(reading.length);
  });
  it('is not there without an edge, nor is anything of it', () => {
    const without = synthesized() as unknown as Readonly<Record<string, Template>>;
    expect(Object.keys(without)).not.toContain('Edge');
    expect(secretNames(without)).toEqual([]);
    expect(JSON.stringify(without)).not.toMatch(/origin"|MUSTER_ORIGIN_SECRET/i);
  });
});

describe('an edge', () => {
  const settings = (given: Record<string, unknown>, region: string | undefined = 'eu-central-1') =>
    settingsFrom((name) => given[name], { account: undefined, region });
  it.each([
    [{ edge: 'yes' }, '-c edge=yes: expected on or off'],
    [{ ...context, edgeDomain: undefined }, '-c edgeDomain=undefined: expected the domain name of the deployment'],
    [{ ...context, edgeDomain: 'https://muster' }, 'expected the domain name'],
    [{ ...context, edgeCertificate: certificate.replace('us-east-1', 'eu-central-1') }, 'an ACM certificate of us-east-1'],
    [{ ...context, edgeSecretVersion: 'newest' }, 'expected the id of a version'],
  ])('is refused when it cannot be: %j', (given, message) => expect(() => settings(given)).toThrow(message));
  it('needs to know in front of which region it is put', () => {
    expect(() => settingsFrom((name) => (context as Record<string, unknown>)[name], { account: undefined, region: undefined })).toThrow(
      '-c edge=on: no region is known: sign the CLI in',
    );
  });
});
