import { S3Client } from '@aws-sdk/client-s3';
import type { Objects } from './objects.ts';
import { s3Objects } from './s3.ts';

/**
 * The settings of the client. A segment of a million client systems is some 70 MB, which takes about a second; an
 * attempt that hangs ends while the caller still waits.
 */
const calling = {
  retryMode: 'standard',
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/**
 * The objects of a bucket whose keys begin with a prefix. The SDK reads region, credentials and `AWS_ENDPOINT_URL*`.
 */
export const bucketObjects = (bucket: string, prefix: string): Objects => s3Objects({ client: new S3Client(calling), bucket, prefix });
