import { App, type AppProps, Tags } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { acknowledge, addPacks } from './nag.ts';
import { type DeploymentSettings, settingsFrom } from './settings.ts';
import { Api } from './stacks/api.ts';
import { Control } from './stacks/control.ts';
import { Data } from './stacks/data.ts';
import { Ops } from './stacks/ops.ts';
import { wiring } from './wiring.ts';

/** A deployment of Muster as the CDK sees it. */
export type MusterApp = {
  readonly app: App;
  readonly data: Data;
  readonly control: Control;
  readonly api: Api;
  readonly ops: Ops;
  /** No route asks who calls. */
  readonly open: boolean;
};

/**
 * The four stacks of a deployment, ready to be synthesized; `code` gives each function its bundle. Settings come from the app's
 * context and from where the CLI is signed in; throws on settings that cannot be.
 */
export function musterApp(
  { code, ...environment }: Pick<DeploymentSettings, 'account' | 'region'> & { code: (name: string) => Code },
  props: AppProps = {},
): MusterApp {
  const app = new App(props);
  const settings = settingsFrom((name) => app.node.tryGetContext(name), environment);
  const { deployment, account, region } = settings;
  const env = { env: { ...(account && { account }), ...(region && { region }) } };
  const data = new Data(app, `${deployment}-Data`, env);
  const control = new Control(app, `${deployment}-Control`, { ...env, wiring, settings, data, code });
  const api = new Api(app, `${deployment}-Api`, { ...env, wiring, settings, control });
  const ops = new Ops(app, `${deployment}-Ops`, { ...env, settings, watched: { wiring, deployment, data, control, api } });
  Tags.of(app).add('app', 'muster');
  Tags.of(app).add('deployment', deployment);
  const made = { app, data, control, api, ops, open: api.open };
  addPacks(app);
  acknowledge(made);
  return made;
}
