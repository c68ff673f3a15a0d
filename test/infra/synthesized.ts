import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { type MusterApp, musterApp } from '../../infra/muster-app.ts';

/** A resource of a synthesized template. */
export type Resource = {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};
/** A template, by logical id. */
export type Template = { readonly Resources: Readonly<Record<string, Resource>>; readonly Outputs?: Readonly<Record<string, unknown>> };
/** The part of a deployment that a stack id names, behind the deployment's own name. */
export type StackName = 'Data' | 'Identity' | 'Control' | 'Api' | 'Ops';
export const stackNames: readonly StackName[] = ['Data', 'Identity', 'Control', 'Api', 'Ops'];

const flags = (JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as { context: Record<string, unknown> })
  .context;

/** The deployment with the feature flags of cdk.json and functions without code, so that no test waits for a bundle. */
export function aDeployment({
  account = '123456789012',
  context = {},
  outdir,
}: {
  account?: string;
  context?: Record<string, unknown>;
  outdir?: string;
} = {}): MusterApp {
  return musterApp(
    { account, region: 'eu-central-1', code: () => Code.fromInline('exports.handler = async () => undefined;') },
    { context: { ...flags, ...context }, analyticsReporting: false, ...(outdir && { outdir }) },
  );
}

/**
 * Synthesizes a deployment as the CLI does, cdk-nag included, and gives its templates. Throws what stops a synthesis.
 */
export function synthesized(options: Parameters<typeof aDeployment>[0] = {}): Record<StackName, Template> {
  const outdir = mkdtempSync(join(tmpdir(), 'muster-synth-'));
  try {
    const assembly: CloudAssembly = aDeployment({ ...options, outdir }).app.synth();
    const templates = assembly.stacks.map(({ id, template }) => [id.slice(id.lastIndexOf('-') + 1), template]);
    return Object.fromEntries(templates) as Record<StackName, Template>;
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** Every resource of a type in the templates given. */
export const resourcesOf = (templates: Readonly<Record<string, Template>>, type: string): Resource[] =>
  Object.values(templates).flatMap(({ Resources }) => Object.values(Resources).filter((resource) => resource.Type === type));
