import * as z from 'zod';
import { buses } from '../events/catalogue.ts';
import { defaultGroups, type GroupMap } from '../lib/identity/claims.ts';
import { Groups, type IssuerSettings, issuerFrom } from '../lib/ports/issuer/settings.ts';
import type { EdgeSettings } from './edge.ts';
import { type SenderThatVouches, Vouchers } from './vouchers.ts';

/** The account that emulators use; no real one has it. */
export const emulatorAccount = '000000000000';

/** The settings of one synthesis: everything in which two deployments may differ. */
export type DeploymentSettings = {
  /** Prefix of the stack ids and part of every name that is unique in an account. */
  readonly deployment: string;
  /** Undefined when the CLI has no credentials; then nothing that depends on the account is allowed. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /**
   * The deployment name that machines sign for, where it is not `deployment`: the name of an imported deployment, which
   * its machines already use.
   */
  readonly signedFor?: string;
  /** The smallest heartbeat interval in milliseconds, unless the row `deployment` sets another one. */
  readonly beatMinMs: number;
  /** How often a Uyuni or Salt node admits a client that was moved, in milliseconds; 0 admits any number at once. */
  readonly admitEveryMs: number;
  /** The OpenID Connect provider of administrators; if undefined, the stack makes a Cognito user pool. */
  readonly issuer: IssuerSettings | undefined;
  /** The groups of that user pool, and what they may do. */
  readonly groups: GroupMap;
  /** The address of the runbook for people on call; headings are appended as anchors. */
  readonly runbook: string;
  /**
   * The decider on heartbeats of nodes: a consumer of their queue (`queue`), or the endpoint that takes them, which
   * costs less (`direct`).
   */
  readonly heartbeats: 'queue' | 'direct';
  /** The systems that may vouch for nodes by the ingest bus; none unless named. */
  readonly vouchers: readonly SenderThatVouches[];
  /**
   * Whether heartbeats of nodes and status checks of client systems are answered at addresses of their own, too:
   * function URLs.
   */
  readonly functionUrls: boolean;
  /** Whether heartbeats and the sweep have room to run that nothing else takes: reserved concurrency. */
  readonly reserve: boolean;
  /** The edge in front of the API; undefined when the API is called under its own address. */
  readonly edge: EdgeSettings | undefined;
  /**
   * The origin at which browsers open the page, to which the user pool sends them back; undefined where it is not known
   * yet, because the API gets its address when it is first deployed.
   */
  readonly webOrigin: string | undefined;
};

/** The settings of a deployment that sets none. */
export const defaults = {
  deployment: 'Muster',
  beatMinMs: 10_000,
  admitEveryMs: 15_000,
  heartbeats: 'queue',
  runbook: 'docs/runbook.md',
} as const;

/** The names of the issuer's settings on the command line. */
const issuerNames = {
  issuer: 'oidcIssuer',
  clientId: 'oidcClientId',
  audience: 'oidcAudience',
  groupsClaim: 'oidcGroupsClaim',
  groups: 'oidcGroups',
  scopes: 'oidcScopes',
  tokenAgeMaxMinutes: 'oidcTokenAgeMaxMinutes',
} as const;

const oneOf = <T extends string>(name: string, value: string, allowed: readonly T[]): T => {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new Error(`-c ${name}=${value}: expected ${allowed.join(' or ')}`);
  return found;
};

const text = (name: string, value: unknown, pattern: RegExp, expected: string): string => {
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`-c ${name}=${String(value)}: expected ${expected}`);
  return value;
};

const isOn = (context: (name: string) => unknown, name: string): boolean =>
  oneOf(name, String(context(name) ?? 'off'), ['on', 'off']) === 'on';

const heartbeatMin = (value: unknown): number => {
  const ms = Number(value);
  if (!Number.isInteger(ms) || ms < 100 || ms > 300_000)
    throw new Error(`-c beatMinMs=${String(value)}: expected whole milliseconds from 100 to 300000`);
  return ms;
};

const admitEvery = (value: unknown): number => {
  const ms = Number(value);
  if (!Number.isInteger(ms) || ms < 0 || ms > 3_600_000)
    throw new Error(`-c admitEveryMs=${String(value)}: expected whole milliseconds from 0 to 3600000`);
  return ms;
};

/**
 * The issuer, and the groups of a user pool of our own. Groups without an issuer belong to the pool, which then names
 * them as Cognito does.
 */
function administrators(context: (name: string) => unknown): Pick<DeploymentSettings, 'issuer' | 'groups'> {
  const given = Object.fromEntries(Object.values(issuerNames).map((name) => [name, textOf(context(name))]));
  const { [issuerNames.groups]: groups, ...others } = given;
  try {
    if (Object.values(others).some(Boolean)) return { issuer: issuerFrom(given, issuerNames), groups: {} };
    return { issuer: undefined, groups: groups ? Groups.parse(JSON.parse(groups)) : defaultGroups };
  } catch (error) {
    throw new Error(`-c oidc…: ${error instanceof z.ZodError ? z.prettifyError(error) : String(error)}`);
  }
}

/** The senders that may vouch for nodes. Throws unless the value is a list of senders. */
function vouchersFrom(value: unknown): readonly SenderThatVouches[] {
  const text = textOf(value);
  if (text === undefined) return [];
  try {
    return Vouchers.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`-c vouchers: ${error instanceof z.ZodError ? z.prettifyError(error) : String(error)}`);
  }
}

/** A value of the context as the command line would have given it: cdk.json may hold an object. */
const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The edge, if the settings ask for one. Throws for an edge without a domain name or a known region. */
function edgeFrom(context: (name: string) => unknown, region: string | undefined): EdgeSettings | undefined {
  if (!isOn(context, 'edge')) return undefined;
  if (!region) throw new Error('-c edge=on: no region is known: sign the CLI in to the region of the API');
  const version = context('edgeSecretVersion');
  return {
    domain: text('edgeDomain', context('edgeDomain'), /^([a-z0-9-]+\.)+[a-z0-9-]+$/, 'the domain name of the deployment'),
    certificateArn: text(
      'edgeCertificate',
      context('edgeCertificate'),
      /^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'the ARN of an ACM certificate of us-east-1 for that name',
    ),
    secretVersion:
      version === undefined ? undefined : text('edgeSecretVersion', version, /^[\w-]{32,64}$/, 'the id of a version of the origin secret'),
  };
}

/**
 * Settings from the CLI's context (`-c name=value`) and from where it is signed in. Throws with the name of the first
 * invalid value.
 */
export function settingsFrom(
  context: (name: string) => unknown,
  environment: Pick<DeploymentSettings, 'account' | 'region'>,
): DeploymentSettings {
  const given = (name: keyof typeof defaults): unknown => context(name) ?? defaults[name];
  const signedFor = context('signedFor');
  return {
    ...environment,
    ...(signedFor !== undefined && { signedFor: text('signedFor', signedFor, /^[A-Za-z0-9._-]{1,64}$/, '1 to 64 letters, digits or ._-') }),
    // 20 characters leave room for what CloudFormation appends to names that may have 64.
    deployment: text('deployment', given('deployment'), /^[A-Z][A-Za-z0-9]{0,19}$/, 'up to 20 letters and digits beginning with a capital'),
    beatMinMs: heartbeatMin(given('beatMinMs')),
    admitEveryMs: admitEvery(given('admitEveryMs')),
    ...administrators(context),
    runbook: text('runbook', given('runbook'), /^\S+$/, 'a path or URL without spaces'),
    heartbeats: oneOf('heartbeats', String(given('heartbeats')), ['queue', 'direct']),
    vouchers: vouchersFrom(context('vouchers')),
    functionUrls: isOn(context, 'functionUrls'),
    reserve: isOn(context, 'reserve'),
    edge: edgeFrom(context, environment.region),
    webOrigin: webOriginFrom(context),
  };
}

/** The origin of the page: the name of the edge, or what the context says. Throws for one that is no https origin. */
function webOriginFrom(context: (name: string) => unknown): string | undefined {
  const given = context('webOrigin');
  if (given !== undefined)
    return text(
      'webOrigin',
      given,
      /^https:\/\/([a-z0-9-]+\.)+[a-z0-9-]+(:\d{1,5})?$/,
      'an https origin without a path, such as the output ApiUrl',
    );
  return isOn(context, 'edge') ? `https://${String(context('edgeDomain'))}` : undefined;
}

/** The bus names of a deployment: as the catalogue has them for the default one, suffixed for every other. */
export const busNames = (deployment: string): { out: string; ingest: string } => {
  const suffix = deployment === defaults.deployment ? '' : `-${deployment.toLowerCase()}`;
  return { out: `${buses.out.name}${suffix}`, ingest: `${buses.ingest.name}${suffix}` };
};
