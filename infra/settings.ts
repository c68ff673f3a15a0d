import { buses } from '../events/catalogue.ts';

/** The account that emulators use; no real one has it, so only there may doors be open. */
export const emulatorAccount = '000000000000';

/** What one synthesis is for: everything in which two deployments may differ. */
export type DeploymentSettings = {
  /** Prefix of the stack ids and part of every name that is unique in an account. */
  readonly deployment: string;
  /** Undefined when the CLI has no credentials; then nothing that depends on the account is allowed. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** `iam`: every route asks for a signed AWS request; `open`: none does, for emulators only. */
  readonly doors: 'iam' | 'open';
  /** The smallest heartbeat interval in milliseconds, before the row `deployment` says otherwise. */
  readonly beatMinMs: number;
  /** Where the runbook can be read by whoever is woken; headings are appended as anchors. */
  readonly runbook: string;
};

/** Settings before anybody says anything. */
export const defaults = { deployment: 'Muster', doors: 'iam', beatMinMs: 10_000, runbook: 'docs/runbook.md' } as const;

const oneOf = <T extends string>(name: string, value: string, allowed: readonly T[]): T => {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new Error(`-c ${name}=${value}: expected ${allowed.join(' or ')}`);
  return found;
};

const text = (name: string, value: unknown, pattern: RegExp, expected: string): string => {
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`-c ${name}=${String(value)}: expected ${expected}`);
  return value;
};

const beatMin = (value: unknown): number => {
  const ms = Number(value);
  if (!Number.isInteger(ms) || ms < 100 || ms > 300_000)
    throw new Error(`-c beatMinMs=${String(value)}: expected whole milliseconds from 100 to 300000`);
  return ms;
};

/**
 * Settings from the CLI's context (`-c name=value`) and from where it is signed in. Throws naming the first value that cannot be.
 * Whether doors may be open is decided by the Api stack, so that the refusal stands in the synthesis.
 */
export function settingsFrom(
  context: (name: string) => unknown,
  environment: Pick<DeploymentSettings, 'account' | 'region'>,
): DeploymentSettings {
  const given = (name: keyof typeof defaults): unknown => context(name) ?? defaults[name];
  return {
    ...environment,
    // 20 characters leave room for what CloudFormation appends to names that may have 64.
    deployment: text('deployment', given('deployment'), /^[A-Z][A-Za-z0-9]{0,19}$/, 'up to 20 letters and digits beginning with a capital'),
    doors: oneOf('doors', String(given('doors')), ['iam', 'open']),
    beatMinMs: beatMin(given('beatMinMs')),
    runbook: text('runbook', given('runbook'), /^\S+$/, 'a path or URL without spaces'),
  };
}

/** The bus names of a deployment: as the catalogue has them for the default one, suffixed for every other. */
export const busNames = (deployment: string): { out: string; ingest: string } => {
  const suffix = deployment === defaults.deployment ? '' : `-${deployment.toLowerCase()}`;
  return { out: `${buses.out.name}${suffix}`, ingest: `${buses.ingest.name}${suffix}` };
};
