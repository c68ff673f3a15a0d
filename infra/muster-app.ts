import { App, type AppProps, Tags } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { edgeRegion } from './edge.ts';
import { acknowledge, addPacks } from './nag.ts';
import { type DeploymentSettings, settingsFrom } from './settings.ts';
import { Api } from './stacks/api.ts';
import { Control } from './stacks/control.ts';
import { Data } from './stacks/data.ts';
import { Edge } from './stacks/edge.ts';
import { Identity } from './stacks/identity.ts';
import { Ops } from './stacks/ops.ts';
import { wiring } from './wiring.ts';

/** A deployment of Muster as the CDK sees it. */
export type MusterApp = {
  readonly app: App;
  readonly data: Data;
  readonly control: Control;
  readonly api: Api;
  readonly ops: Ops;
  /** Undefined unless the settings have an edge. */
  readonly edge: Edge | undefined;
  /** The user pool of administrators; absent where they have an issuer of their own. */
  readonly identity?: Identity;
};

/**
 * The stacks of a deployment, ready to be synthesized; `code` gives each function its bundle. Settings come from the
 * app's context and from where the CLI is signed in. Throws on invalid settings.
 */
export function musterApp(
  { code, ...environment }: Pick<DeploymentSettings, 'account' | 'region'> & { code: (name: string) => Code },
  props: AppProps = {},
): MusterApp {
  const app = new App(props);
  const settings = settingsFrom((name) => app.node.tryGetContext(name), environment);
  const { deployment, account, region } = settings;
  const env = { env: { ...(account && { account }), ...(region && { region }) } };
  const { edge: edged } = settings;
  const originIn = edged && { name: `${deployment}/origin`, region: region === edgeRegion ? undefined : edgeRegion };
  const data = new Data(app, `${deployment}-Data`, { ...env, ...(originIn && { originIn }) });
  const identity = settings.issuer ? undefined : new Identity(app, `${deployment}-Identity`, { ...env, settings });
  const issuer = settings.issuer ?? identity!.issuer;
  const control = new Control(app, `${deployment}-Control`, { ...env, wiring, settings, data, issuer, code });
  const api = new Api(app, `${deployment}-Api`, { ...env, wiring, settings, control });
  const ops = new Ops(app, `${deployment}-Ops`, { ...env, settings, watched: { wiring, deployment, data, control, api } });
  const edge =
    edged && originIn
      ? new Edge(app, `${deployment}-Edge`, {
          env: { ...(account && { account }), region: edgeRegion },
          edge: edged,
          deployment,
          api,
          secretName: originIn.name,
        })
      : undefined;
  Tags.of(app).add('app', 'muster');
  Tags.of(app).add('deployment', deployment);
  const made = { app, data, control, api, ops, edge, ...(identity && { identity }) };
  addPacks(app);
  acknowledge(made);
  return made;
}
