import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { tableSchema } from '../../lib/ports/table/schema.ts';

const attribute = ({ name, type }: { name: string; type: 'S' | 'N' }) => ({
  name,
  type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

/** The keys under which Lambda puts late records into the bucket: `aws/lambda/<mapping>/<shard>/…`. */
export const lateObjects = 'aws/lambda/*';

/**
 * The ARN by the attribute `Id`, which equals `Ref` on AWS. In emulators `Ref` is the name, and no grant matches a
 * name.
 */
const arnOf = (secret: Secret): string => (secret.node.defaultChild as CfnSecret).attrId;

/** The name of the origin secret, and the region that it is replicated to when the edge is in another one. */
export type OriginPlace = { readonly name: string; readonly region: string | undefined };
/** The input of the Data stack. */
export type DataProps = StackProps & { readonly originIn?: OriginPlace };

/**
 * Everything that must survive: the table and its stream, the key that encrypts it, the token keys, the feed's late
 * records. Beside them the index of searches, which names client systems, and is encrypted as they are.
 */
export class Data extends Stack {
  readonly key: Key;
  readonly table: TableV2;
  readonly secret: Secret;
  readonly secretArn: string;
  /** The secret whose keys seal the audit, and its ARN. */
  readonly auditSecret: Secret;
  readonly auditSecretArn: string;
  /** Records that the feed could not publish before they would have left the stream. */
  readonly late: Bucket;
  /** What can be made again: the index of searches. */
  readonly objects: Bucket;
  /** The secret that the edge sends to the functions; undefined without an edge. */
  readonly origin: Secret | undefined;
  /** The ARN of that secret. */
  readonly originArn: string | undefined;

  constructor(scope: Construct, id: string, { originIn, ...props }: DataProps) {
    super(scope, id, props);
    this.key = new Key(this, 'Key', {
      description: 'Muster: the table, the token keys and the late feed records',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.table = this.makeTable();
    this.secret = new Secret(this, 'TokenKeys', {
      description: 'Muster: the keys that sign membership tokens and cursors',
      encryptionKey: this.key,
      // 64 letters and digits hold 380 bits, more than the 256 that HMAC-SHA-256 can use.
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.secretArn = arnOf(this.secret);
    // Apart from the token keys: of the functions with public endpoints, only the one that verifies the audit can read
    // it.
    this.auditSecret = new Secret(this, 'AuditKeys', {
      description: 'Muster: the keys that seal the audit; without them no entry can be verified',
      encryptionKey: this.key,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.auditSecretArn = arnOf(this.auditSecret);
    // Long enough to notice them, put them on the bus by hand, and review an incident.
    this.late = this.makeBucket('Late', [{ expiration: Duration.days(90) }]);
    // What is no longer named is removed by the function that stores; the remains of a broken upload by S3.
    this.objects = this.makeBucket('Objects', [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }]);
    this.origin = originIn && this.makeOrigin(originIn);
    this.originArn = this.origin && arnOf(this.origin);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
  }

  private makeBucket(id: string, lifecycleRules: LifecycleRule[]): Bucket {
    return new Bucket(this, id, {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** The secret has a fixed name, since the edge, in a region of its own, reads a replica of the same name. */
  private makeOrigin({ name, region }: OriginPlace): Secret {
    return new Secret(this, 'Origin', {
      secretName: name,
      description: 'Muster: the secret that proves to the functions that a call came through the edge',
      encryptionKey: this.key,
      generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'current', passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
      ...(region !== undefined && { replicaRegions: [{ region }] }),
    });
  }

  private makeTable(): TableV2 {
    const { partitionKey, sortKey, timeToLive, indexes } = tableSchema;
    return new TableV2(this, 'Table', {
      partitionKey: attribute(partitionKey),
      sortKey: attribute(sortKey),
      timeToLiveAttribute: timeToLive,
      globalSecondaryIndexes: indexes.map((index) => ({
        indexName: index.name,
        partitionKey: attribute(index.partitionKey),
        sortKey: attribute(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      })),
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_IMAGE,
      encryption: TableEncryptionV2.customerManagedKey(this.key),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
