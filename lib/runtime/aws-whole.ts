import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DynamoWhole, dynamoWhole } from '../ports/table/dynamo-whole.ts';

export type { DynamoWhole } from '../ports/table/dynamo-whole.ts';

/**
 * A deployment's table as a whole. A command-line program has longer timeouts than a function. The SDK reads region,
 * credentials and `AWS_ENDPOINT_URL_DYNAMODB`.
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
