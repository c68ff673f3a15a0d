import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DynamoWhole, dynamoWhole } from '../ports/table/dynamo-whole.ts';

export type { DynamoWhole } from '../ports/table/dynamo-whole.ts';

/**
 * A deployment's table as a whole. A program that nobody waits for in a browser asks more patiently than a function
 * does. Region, credentials and `AWS_ENDPOINT_URL_DYNAMODB` are read by the SDK.
 */
export const awsWhole = (tableName: string, sleep: (ms: number) => Promise<void>): DynamoWhole =>
  dynamoWhole({
    client: new DynamoDBClient({
      retryMode: 'standard',
      maxAttempts: 8,
      requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000 },
    }),
    tableName,
    sleep,
  });
