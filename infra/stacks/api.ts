import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, type HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logRetention } from '../constructs/wired-function.ts';
import type { DeploymentSettings } from '../settings.ts';
import type { Wiring } from '../wiring.ts';
import type { Control } from './control.ts';

/** What the Api stack is made from. */
export type ApiProps = StackProps & { readonly wiring: Wiring; readonly settings: DeploymentSettings; readonly control: Control };

/**
 * Calls a second that reach the functions, and how many may come at once: half of what an account's HTTP APIs get together
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html), so that a storm here leaves room for others.
 */
export const throttle = { rateLimit: 5_000, burstLimit: 2_500 };

const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    at: '$context.requestTimeEpoch',
    source: '$context.identity.sourceIp',
    route: '$context.routeKey',
    status: '$context.status',
    bytes: '$context.responseLength',
    ms: '$context.responseLatency',
    functionMs: '$context.integrationLatency',
    error: '$context.error.message',
    // Why a function was not run or its answer not understood; the caller's error says no more than "Internal Server Error".
    functionError: '$context.integrationErrorMessage',
  }),
);

/**
 * The HTTP API: the wired routes on its root path. No authorizer of API Gateway stands before them: one sees no body, and a route has room for
 * one alone, where administrators show tokens of an issuer or keys of ours. Each function verifies its callers itself.
 */
export class Api extends Stack {
  readonly api: HttpApi;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id, props);
    this.api = new HttpApi(this, 'HttpApi', {
      apiName: `${props.settings.deployment} control plane`,
      createDefaultStage: false,
    });
    this.addRoutes(props);
    const stage = this.makeStage();
    new CfnOutput(this, 'ApiUrl', { value: stage.url });
  }

  private addRoutes({ wiring, control }: ApiProps): void {
    for (const [name, { routes }] of Object.entries(wiring.functions)) {
      if (!routes) continue;
      const integration = new HttpLambdaIntegration(name, control.functions.get(name)!.function);
      for (const route of routes) {
        const [method, path] = route.split(' ') as [HttpMethod, string];
        this.api.addRoutes({ path, methods: [method], integration });
      }
    }
  }

  private makeStage(): HttpStage {
    const logs = new LogGroup(this, 'AccessLogs', { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
    return new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle,
      accessLogSettings: { destination: new LogGroupLogDestination(logs), format: accessLog },
    });
  }
}
