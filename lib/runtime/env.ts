import * as z from 'zod';
import { DeploymentName } from '../core/ids.ts';
import { type IssuerVariable, issuerVariables } from '../ports/issuer/settings.ts';

/** A whole number in a variable. An empty one is a mistake, which `Number` would read as 0. */
const whole = z.string().regex(/^\d+$/, 'a whole number').transform(Number);

/**
 * How often a Uyuni or Salt node admits a client that was moved; 0 admits any number at once. One in 15 s is the safe
 * rate of key acceptance of a Uyuni server, as its vendor documents for large deployments.
 */
const admitEveryMs = whole.pipe(z.int().max(3_600_000)).default(15_000);

/** The variables of the issuer of administrators; `issuerFrom` reads them. */
const issuer = Object.fromEntries(Object.values(issuerVariables).map((name) => [name, z.string().optional()])) as Record<
  IssuerVariable,
  z.ZodOptional<z.ZodString>
>;

/**
 * The environment of a Lambda function; the stacks set it from the wiring, and it is checked once at cold start. Throws
 * with the name of each missing variable.
 */
export const LambdaEnv = z.object({
  MUSTER_DEPLOYMENT: z.string().min(1),
  MUSTER_TABLE: z.string().min(1),
  /** Queue URLs by queue name, as JSON. */
  MUSTER_QUEUES: z
    .string()
    .default('{}')
    .transform((text) => z.record(z.string(), z.string()).parse(JSON.parse(text))),
  MUSTER_BUS: z.string().default(''),
  /** The ARN of the secret with the token keys. */
  MUSTER_KEYS_SECRET: z.string().default(''),
  /** The ARN of the secret with the keys of the audit. */
  MUSTER_AUDIT_SECRET: z.string().default(''),
  /** The ARN of the secret that the edge sends; empty without an edge. */
  MUSTER_ORIGIN_SECRET: z.string().default(''),
  /** The bucket for what can be made again, such as the index of searches. */
  MUSTER_BUCKET: z.string().default(''),
  /** The address at which another function answers one of the function's routes; empty without one. */
  MUSTER_DIRECT: z.string().default(''),
  /** The decider on heartbeats: the consumer of their queue, or the endpoint that takes them. */
  MUSTER_HEARTBEATS: z.enum(['queue', 'direct']).default('queue'),
  MUSTER_RECEIVES_MAX: whole.pipe(z.int().positive()).default(1),
  MUSTER_BEAT_MIN_MS: whole.pipe(z.int().min(100)).default(10_000),
  MUSTER_ADMIT_EVERY_MS: admitEveryMs,
  MUSTER_SWEEP_PERIOD_MS: whole.pipe(z.int().positive()).default(5_000),
  ...issuer,
});
export type LambdaEnv = z.infer<typeof LambdaEnv>;

/** The header with the secret of the edge, which adds it to every call and replaces a caller's own. */
export const originHeader = 'muster-origin';

/** The header with the name under which callers reach the deployment; the edge adds it as it does its secret. */
export const publicNameHeader = 'muster-name';

/** The environment of this Lambda function. */
export const lambdaEnv = (): LambdaEnv => LambdaEnv.parse(process.env);

const LambdaCredentials = z.object({
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  AWS_SESSION_TOKEN: z.string().optional(),
});

/** The credentials that Lambda gives this environment for its role. Throws with the name of each missing variable. */
export function lambdaCredentials(): { accessKeyId: string; secretAccessKey: string; sessionToken?: string } {
  const env = LambdaCredentials.parse(process.env);
  return {
    accessKeyId: env.AWS_ACCESS_KEY_ID,
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
  };
}

/**
 * The environment of the embedded host, each variable with its default. Throws with the name of each invalid variable.
 */
export const EmbeddedEnv = z.object({
  MUSTER_PORT: whole.pipe(z.int().max(65_535)).default(8080),
  MUSTER_HOME: z.string().min(1).default('.muster'),
  /** The name of the deployment, when it is not the one in its state folder. */
  MUSTER_DEPLOYMENT: DeploymentName.optional(),
  MUSTER_BEAT_MIN_MS: whole.pipe(z.int().min(100).max(300_000)).default(10_000),
  MUSTER_ADMIT_EVERY_MS: admitEveryMs,
  MUSTER_LOG: z.enum(['debug', 'info', 'warn', 'error']).default('warn'),
  /** Whether callers that call too often are refused: `off` for load tests of a host. */
  MUSTER_RATES: z.enum(['usual', 'off']).default('usual'),
  /** Whether events may be delivered to this machine itself, over http too: for trials and tests. */
  MUSTER_WEBHOOKS_LOOPBACK: z.enum(['on', 'off']).default('off'),
  /** The address to listen on; beyond loopback only with TLS, or behind a proxy that ends it. */
  MUSTER_BIND: z.string().min(1).default('127.0.0.1'),
  /** Files in PEM: the certificate with its chain, and its key. */
  MUSTER_TLS_CERT: z.string().min(1).optional(),
  MUSTER_TLS_KEY: z.string().min(1).optional(),
  /** Networks of the proxies that end TLS in front, comma-separated; `loopback` for one on this machine. */
  MUSTER_TRUST_PROXY: z.string().min(1).optional(),
  /** The names that callers use, comma-separated; those of the certificate unless given. */
  MUSTER_NAMES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .toLowerCase()
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ...issuer,
});
export type EmbeddedEnv = z.infer<typeof EmbeddedEnv>;

/** The environment of this embedded host; options of its command line replace some variables. */
export const embeddedEnv = (options: Readonly<Record<string, string>> = {}): EmbeddedEnv =>
  EmbeddedEnv.parse({ ...process.env, ...options });
