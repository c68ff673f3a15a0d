import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { tableSchema } from '../../lib/table/schema.ts';

const attribute = ({ name, type }: { name: string; type: 'S' | 'N' }) => ({
  name,
  type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

/** Under which keys Lambda puts late records into the bucket: `aws/lambda/<mapping>/<shard>/…`. */
export const lateObjects = 'aws/lambda/*';

/** Everything that must survive: the table and its stream, the key that encrypts it, the token keys, the feed's late records. */
export class Data extends Stack {
  readonly key: Key;
  readonly table: TableV2;
  readonly secret: Secret;
  /** By the attribute `Id`, which is the ARN on AWS as `Ref` is; emulators make `Ref` the name, and no grant fits a name. */
  readonly secretArn: string;
  /** What the feed could not publish before its record would have left the stream. */
  readonly late: Bucket;

  constructor(scope: Construct, id: string, props: StackProps) {
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
    this.secretArn = (this.secret.node.defaultChild as CfnSecret).attrId;
    this.late = new Bucket(this, 'Late', {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // Long enough to notice, put them on the bus by hand, and look back at an incident.
      lifecycleRules: [{ expiration: Duration.days(90) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
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
