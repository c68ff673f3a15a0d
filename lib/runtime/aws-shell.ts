import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { printableValue } from '../core/printable.ts';
import { type EpochMs, minuteMs, secondMs } from '../core/time.ts';
import type { Bus } from '../ports/bus/bus.ts';
import type { Checks } from '../ports/checks/checks.ts';
import type { Issuer } from '../ports/issuer/issuer.ts';
import type { Keys } from '../ports/keys/keys.ts';
import type { Objects } from '../ports/objects/objects.ts';
import type { Outbound } from '../ports/outbound/outbound.ts';
import type { Pages } from '../ports/page/pages.ts';
import type { Queue } from '../ports/queue/queue.ts';
import type { Table } from '../ports/table/table.ts';
import { type LambdaEnv, lambdaEnv } from './env.ts';
import { type Log, logCodes } from './log.ts';
import { usualRates } from './rates.ts';
import type { Shell } from './shell.ts';

/**
 * The adapters of one function: only those that the wiring lets it use, so that its bundle has no other service's SDK.
 */
export type AwsAdapters = {
  readonly table: (env: LambdaEnv) => Table;
  readonly queue?: (env: LambdaEnv) => Queue;
  readonly bus?: (env: LambdaEnv) => Bus;
  readonly keys?: (env: LambdaEnv, now: () => EpochMs) => Keys;
  readonly auditKeys?: (env: LambdaEnv, now: () => EpochMs) => Keys;
  readonly issuer?: (env: LambdaEnv, now: () => EpochMs) => Issuer | undefined;
  readonly outbound?: () => Outbound;
  readonly checks?: () => Checks;
  readonly objects?: (env: LambdaEnv) => Objects;
  readonly pages?: () => Pages;
};

/**
 * How old a cached zone may be when an answer depends on it: on AWS every refresh costs money, and a frozen environment
 * cannot poll.
 */
const zoneMaxAgeMs = 5_000;

const now = (): EpochMs => Date.now() as EpochMs;

/**
 * How soon a zone may be counted again: 64 index queries and a write of the counts, so that a month of an idle zone
 * costs cents.
 */
const countEveryMs = 10 * minuteMs;

/**
 * Longer than the rest of the lease of a node with a heartbeat every 10 s (38 s at the most), and short enough that
 * checking the row costs less than moving it. At most about 600 nodes stay due by that, since nodes of a larger fleet
 * send heartbeats less often.
 */
export const staysDueMs = 45 * secondMs;

/**
 * The shell of a Lambda environment. Throws at cold start, naming the variable, when the environment lacks one that the
 * function needs.
 */
export function awsShell(adapters: AwsAdapters, env: LambdaEnv = lambdaEnv()): Shell {
  const issuer = adapters.issuer?.(env, now);
  return {
    table: adapters.table(env),
    queue: adapters.queue?.(env) ?? { send: refuse('send to a queue', 'sends'), depth: refuse('inspect a queue', 'looksInto') },
    bus: adapters.bus?.(env) ?? { publish: refuse('publish', 'publishes') },
    keys: adapters.keys?.(env, now) ?? noKeys('signs'),
    auditKeys: adapters.auditKeys?.(env, now) ?? noKeys('audits'),
    now,
    newId: randomUUID,
    randomBytes: (bytes) => randomBytes(bytes),
    random: Math.random,
    sleep: (ms) => sleep(ms),
    log: logTo(new Logger({ serviceName: env.MUSTER_DEPLOYMENT, jsonReplacerFn: printableValue })),
    settings: {
      deployment: env.MUSTER_DEPLOYMENT,
      beatMinMs: env.MUSTER_BEAT_MIN_MS,
      admitEveryMs: env.MUSTER_ADMIT_EVERY_MS,
      zoneMaxAgeMs,
      countEveryMs,
      sweepPeriodMs: env.MUSTER_SWEEP_PERIOD_MS,
      receivesMax: env.MUSTER_RECEIVES_MAX,
      rates: usualRates,
      hearsAtOnce: env.MUSTER_HEARTBEATS === 'direct',
      staysDueMs,
      indexesUnasked: true,
      ...(env.MUSTER_DIRECT !== '' && { direct: env.MUSTER_DIRECT }),
    },
    ...(issuer && { issuer }),
    ...(adapters.outbound && { outbound: adapters.outbound() }),
    ...(adapters.checks && { checks: adapters.checks() }),
    ...(adapters.objects && { objects: adapters.objects(env) }),
    ...(adapters.pages && { pages: adapters.pages() }),
    caches: new Map(),
  };
}

/** A verb that the wiring does not give this function; using it is a fault in the wiring, and the error names it. */
const refuse = (act: string, entry: string) => async (): Promise<never> => {
  throw new Error(`this function may not ${act}: its entry in the wiring has no \`${entry}\``);
};

const noKeys = (entry: 'signs' | 'audits'): Keys => ({
  current: refuse('sign', entry),
  byId: refuse('verify', entry),
  known: () => undefined,
  ages: refuse('list keys', entry),
  rotate: refuse('rotate keys', 'rotates'),
});

/** One JSON line a call, in this order: the text of the code, the code, which alarms match, and the fields. */
const logTo =
  (logger: Logger): Log =>
  (level, code, fields) =>
    logger[level](logCodes[code], { code, ...fields });
