import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { EpochMs } from '../core/time.ts';
import type { Bus } from '../ports/bus/bus.ts';
import { eventBridgeBus } from '../ports/bus/eventbridge.ts';
import type { Checks } from '../ports/checks/checks.ts';
import { workerChecks } from '../ports/checks/worker.ts';
import type { Issuer } from '../ports/issuer/issuer.ts';
import { oidcIssuer } from '../ports/issuer/oidc.ts';
import { issuerFrom } from '../ports/issuer/settings.ts';
import type { Keys } from '../ports/keys/keys.ts';
import type { Origin } from '../ports/keys/origin.ts';
import { secretOrigin } from '../ports/keys/secret-origin.ts';
import { secretKeys } from '../ports/keys/secrets.ts';
import { lateObjects } from '../ports/objects/late.ts';
import type { Objects } from '../ports/objects/objects.ts';
import { httpsOutbound } from '../ports/outbound/https.ts';
import type { Outbound } from '../ports/outbound/outbound.ts';
import { folderPages } from '../ports/page/folder.ts';
import type { Pages } from '../ports/page/pages.ts';
import type { Queue } from '../ports/queue/queue.ts';
import { sqsQueue } from '../ports/queue/sqs.ts';
import { dynamoTable } from '../ports/table/dynamo.ts';
import type { Table } from '../ports/table/table.ts';
import { type LambdaEnv, lambdaEnv } from './env.ts';
import type { Shell } from './shell.ts';

/**
 * The settings of every client. Three attempts of at most a second and a half end within the shortest time limit of a
 * function (5 s), so that a caller gets a clear 503 and not a timeout. The SDK reads region, credentials and
 * `AWS_ENDPOINT_URL*`.
 */
const calling = {
  retryMode: 'standard',
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 1_500, throwOnRequestTimeout: true },
};

/** The deployment's table. */
export const awsTable = ({ MUSTER_TABLE }: LambdaEnv): Table =>
  dynamoTable({ client: new DynamoDBClient(calling), tableName: MUSTER_TABLE });

/** The queues this function may send to. */
export const awsQueue = ({ MUSTER_QUEUES }: LambdaEnv): Queue => sqsQueue({ client: new SQSClient(calling), urls: MUSTER_QUEUES });

/** The bus that conclusions leave on. */
export const awsBus = ({ MUSTER_BUS }: LambdaEnv): Bus => eventBridgeBus({ client: new EventBridgeClient(calling), busName: MUSTER_BUS });

/** The deployment's token keys. */
export const awsKeys = ({ MUSTER_KEYS_SECRET }: LambdaEnv, now: () => EpochMs): Keys =>
  secretKeys({ client: new SecretsManagerClient(calling), secretId: MUSTER_KEYS_SECRET, now });

/** The keys that seal the deployment's audit. */
export const awsAuditKeys = ({ MUSTER_AUDIT_SECRET }: LambdaEnv, now: () => EpochMs): Keys =>
  secretKeys({ client: new SecretsManagerClient(calling), secretId: MUSTER_AUDIT_SECRET, now, keepsAll: true });

/** The OpenID Connect provider that identifies administrators; undefined when the environment names none. */
export function awsIssuer(env: LambdaEnv, now: () => EpochMs): Issuer | undefined {
  const settings = issuerFrom(env);
  return settings && oidcIssuer({ settings, now });
}

/** Calls to targets that operators configured: only public ones. */
export const awsOutbound = (): Outbound => httpsOutbound({ loopback: false });

/**
 * Checks on a thread of their own, whose program is beside the function's; each ends before the function runs out of
 * time.
 */
export const awsChecks = (): Checks => workerChecks({ program: new URL('./check-thread.mjs', import.meta.url), waitMs: 5_000 });

/**
 * What the deployment has stored for its table, by a program of its own beside the function's, which is loaded with the
 * first object.
 */
export const awsObjects = ({ MUSTER_BUCKET, MUSTER_TABLE }: LambdaEnv): Objects =>
  lateObjects(async () => {
    const program: typeof import('../ports/objects/bucket.ts') = await import(new URL('./objects.mjs', import.meta.url).href);
    return program.bucketObjects(MUSTER_BUCKET, MUSTER_TABLE);
  });

/** The files of the page, in the folder that was deployed beside the function. */
export const awsPages = (): Pages => folderPages(fileURLToPath(new URL('./page', import.meta.url)));

/** Recognises calls that came through the edge; undefined when there is no edge. */
export function awsOrigin({ now }: Pick<Shell, 'now'>, { MUSTER_ORIGIN_SECRET: secretId }: LambdaEnv = lambdaEnv()): Origin | undefined {
  return secretId === '' ? undefined : secretOrigin({ client: new SecretsManagerClient(calling), secretId, now });
}
