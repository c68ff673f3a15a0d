import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  Fn,
  ReferenceStrength,
  RemovalPolicy,
  SecretValue,
  Stack,
  type StackProps,
} from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { originHeader, publicNameHeader } from '../../lib/runtime/env.ts';
import { answerBodies, filterRules, inspectedBody, watched } from '../constructs/edge-filter.ts';
import type { EdgeSettings } from '../edge.ts';
import type { Api } from './api.ts';

/** The input of the Edge stack; `secretName` is the name of the origin secret, the same in this stack's region. */
export type EdgeProps = StackProps & {
  readonly edge: EdgeSettings;
  readonly deployment: string;
  readonly api: Api;
  readonly secretName: string;
};

/** How long access logs are retained for incident reviews. */
const logsFor = Duration.days(90);

/**
 * The first hop of callers, near them: one name with its certificate, TLS 1.2 at the least, and a filter against floods
 * and known attacks. It caches the files of the page alone, and passes on everything that a signature covers as it was
 * sent.
 */
export class Edge extends Stack {
  readonly distribution: Distribution;
  readonly logs: Bucket;

  constructor(scope: Construct, id: string, { edge, deployment, api, secretName, ...props }: EdgeProps) {
    super(scope, id, { ...props, crossRegionReferences: true });
    // The API may be in another region. An export and its import would need functions of the CDK's own to carry them
    // there.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    this.logs = this.makeLogs();
    const common = {
      origin: originOf(api, edge.domain, SecretValue.secretsManager(secretName, versionOf(edge))),
      // A call in the clear has exposed its secrets already: it is refused, not redirected.
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy: this.makeHeaders(),
      // The functions encode what gains by it.
      compress: false,
    };
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `${deployment} control plane`,
      domainNames: [edge.domain],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', edge.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: this.makeFilter(deployment).attrArn,
      enableLogging: true,
      // The CDK's own types disagree here on what is optional.
      logBucket: this.logs as IBucket,
      logIncludesCookies: false,
      defaultBehavior: {
        ...common,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // All headers but `host`, by which the API would not be found; no signature covers it.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      },
      additionalBehaviors: {
        '/ui/*': { ...common, allowedMethods: AllowedMethods.ALLOW_GET_HEAD, cachePolicy: this.makePageCache() },
      },
    });
    new CfnOutput(this, 'EdgeUrl', { value: `https://${edge.domain}` });
    new CfnOutput(this, 'EdgeTarget', {
      value: this.distribution.distributionDomainName,
      description: 'the target that the domain name must point to',
    });
  }

  private makeLogs(): Bucket {
    return new Bucket(this, 'AccessLogs', {
      encryption: BucketEncryption.S3_MANAGED,
      // CloudFront writes as an owner of its own.
      objectOwnership: ObjectOwnership.BUCKET_OWNER_PREFERRED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: logsFor }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  private makeFilter(deployment: string): CfnWebACL {
    return new CfnWebACL(this, 'Filter', {
      scope: 'CLOUDFRONT',
      description: `Muster: floods and known attacks on ${deployment}`,
      defaultAction: { allow: {} },
      rules: filterRules(),
      customResponseBodies: answerBodies,
      associationConfig: inspectedBody,
      visibilityConfig: watched(`${deployment}-edge`),
    });
  }

  /**
   * The files of the page are the same for everybody: they depend on their path and their encoding alone, and say
   * themselves for how long they are good.
   */
  private makePageCache(): CachePolicy {
    return new CachePolicy(this, 'PageCache', {
      comment: 'Muster: files of the page',
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.days(365),
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    });
  }

  /** Answers are data for programs: a browser must not run or frame them, or guess their type. */
  private makeHeaders(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
      comment: 'Muster: answers are data',
      securityHeadersBehavior: {
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        // A document that leads on to a server tells it from where it comes.
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: false },
        contentSecurityPolicy: { contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'", override: false },
      },
    });
  }
}

/**
 * The member of the secret that CloudFront sends. It is read by version where one is given, since nothing else makes
 * CloudFormation read it again.
 */
const versionOf = ({ secretVersion }: EdgeSettings) => ({
  jsonField: 'current',
  ...(secretVersion !== undefined && { versionId: secretVersion }),
});

/**
 * The API under its own name, over TLS. The secret proves to the functions that a call came through the edge, and
 * `domain` is the name that the caller used.
 */
const originOf = (api: Api, domain: string, secret: SecretValue): IOrigin =>
  new HttpOrigin(Fn.select(2, Fn.split('/', api.api.apiEndpoint)), {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    // The distribution has a reference, which CloudFormation resolves when it deploys; no template holds the secret.
    customHeaders: { [originHeader]: secret.unsafeUnwrap(), [publicNameHeader]: domain },
  });
