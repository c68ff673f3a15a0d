import * as z from 'zod';
import { DeploymentName } from '../core/ids.ts';
import { type IssuerVariable, issuerVariables } from '../ports/issuer/settings.ts';

/** A whole number as a variable holds it. An empty one is a mistake, which `Number` would take for 0. */
const whole = z.string().regex(/^\d+$/, 'a whole number').transform(Number);

/**
 * How often a Uyuni or Salt node admits a client that was moved; 0 is any number at once. One in 15 s is the rate at
 * which the key acceptance of a Uyuni server is safe, as its vendor documents it for large deployments.
 */
const admitEveryMs = whole.pipe(z.int().max(3_600_000)).default(15_000);

/** The issuer of administrators; what they hold is read by `issuerFrom`. */
const issuer = Object.fromEntries(Object.values(issuerVariables).map((name) => [name, z.string().optional()])) as Record<
  IssuerVariable,
  z.ZodOptional<z.ZodString>
>;

/**
 * What a Lambda environment is told; set by the stacks from the wiring, checked once at cold start. Throws naming what
 * is missing.
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
  /** The ARN of the secret that holds the token keys. */
  MUSTER_KEYS_SECRET: z.string().default(''),
  /** The ARN of the secret that holds the keys of the audit. */
  MUSTER_AUDIT_SECRET: z.string().default(''),
  /** The ARN of the secret that the edge shows; empty without an edge. */
  MUSTER_ORIGIN_SECRET: z.string().default(''),
  /** Where one of the function's routes is answered by another function; empty where none is. */
  MUSTER_DIRECT: z.string().default(''),
  /** Who decides on heartbeats: the consumer of their queue, or the door that takes them. */
  MUSTER_HEARTBEATS: z.enum(['queue', 'direct']).default('queue'),
  MUSTER_RECEIVES_MAX: whole.pipe(z.int().positive()).default(1),
  MUSTER_BEAT_MIN_MS: whole.pipe(z.int().min(100)).default(10_000),
  MUSTER_ADMIT_EVERY_MS: admitEveryMs,
  MUSTER_SWEEP_PERIOD_MS: whole.pipe(z.int().positive()).default(5_000),
  ...issuer,
});
export type LambdaEnv = z.infer<typeof LambdaEnv>;

/** The header in which the edge shows its secret: it adds it to every call, in the place of one that a caller sent. */
export const originHeader = 'muster-origin';

/**
 * The header in which the edge says under which name callers reach the deployment; it adds it as it does its secret.
 */
export const publicNameHeader = 'muster-name';

/** The environment of this Lambda function. */
export const lambdaEnv = (): LambdaEnv => LambdaEnv.parse(process.env);

const LambdaCredentials = z.object({
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  AWS_SESSION_TOKEN: z.string().optional(),
});

/** The credentials that Lambda gives this environment for its role. Throws naming what is missing. */
export function lambdaCredentials(): { accessKeyId: string; secretAccessKey: string; sessionToken?: string } {
  const env = LambdaCredentials.parse(process.env);
  return {
    accessKeyId: env.AWS_ACCESS_KEY_ID,
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
  };
}

/** What the embedded host is told, each with its default. Throws naming what is wrong. */
export const EmbeddedEnv = z.object({
  MUSTER_PORT: whole.pipe(z.int().max(65_535)).default(8080),
  MUSTER_HOME: z.string().min(1).default('.muster'),
  /** What the deployment is called, when not as its state folder says. */
  MUSTER_DEPLOYMENT: DeploymentName.optional(),
  MUSTER_BEAT_MIN_MS: whole.pipe(z.int().min(100).max(300_000)).default(10_000),
  MUSTER_ADMIT_EVERY_MS: admitEveryMs,
  MUSTER_LOG: z.enum(['debug', 'info', 'warn', 'error']).default('warn'),
  /** Whether callers that call too often are sent away: `off` for measuring how much a host bears. */
  MUSTER_RATES: z.enum(['usual', 'off']).default('usual'),
  /** Whether events may be delivered to this machine itself, over http too: for a look and for tests. */
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

/** The environment of this embedded host, with what its command line puts in the place of some variables. */
export const embeddedEnv = (options: Readonly<Record<string, string>> = {}): EmbeddedEnv =>
  EmbeddedEnv.parse({ ...process.env, ...options });
