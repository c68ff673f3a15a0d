import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type CfnStage, HttpApi, type HttpMethod, type HttpRoute, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logRetention } from '../constructs/wired-function.ts';
import type { DeploymentSettings } from '../settings.ts';
import { classes, routesFor, throttle, throttles } from '../throttles.ts';
import type { Wiring } from '../wiring.ts';
import type { Control } from './control.ts';

/** The input of the Api stack. */
export type ApiProps = StackProps & { readonly wiring: Wiring; readonly settings: DeploymentSettings; readonly control: Control };

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
    // Why a function was not run or its answer not understood; the caller sees only "Internal Server Error".
    functionError: '$context.integrationErrorMessage',
  }),
);

/**
 * The HTTP API: the wired routes on its root path. They have no authorizer of API Gateway: an authorizer sees no body,
 * and a route can have only one, while administrators use tokens of an issuer or API keys. Each function verifies its
 * callers itself.
 */
export class Api extends Stack {
  readonly api: HttpApi;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id, props);
    this.api = new HttpApi(this, 'HttpApi', {
      apiName: `${props.settings.deployment} control plane`,
      createDefaultStage: false,
    });
    const routes = this.addRoutes(props);
    const stage = this.makeStage();
    throttleRoutes(stage, routes);
    new CfnOutput(this, 'ApiUrl', { value: stage.url });
  }

  private addRoutes({ wiring, control }: ApiProps): ReadonlyMap<string, HttpRoute[]> {
    const made = new Map<string, HttpRoute[]>();
    for (const [name, { routes }] of Object.entries(wiring.functions)) {
      if (!routes) continue;
      const integration = new HttpLambdaIntegration(name, control.functions.get(name)!.function);
      for (const route of routes.flatMap(routesFor)) {
        const [method, path] = route.split(' ') as [HttpMethod, string];
        made.set(route, this.api.addRoutes({ path, methods: [method], integration }));
      }
    }
    return made;
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

/**
 * Gives each route the limits of its class. API Gateway takes limits only for existing routes, so the stage waits for
 * them.
 */
function throttleRoutes(stage: HttpStage, routes: ReadonlyMap<string, HttpRoute[]>): void {
  const settings = [...routes.keys()].map((route) => {
    const found = classes[route];
    if (!found) throw new Error(`the route ${route} has no class of throttles: name one in infra/throttles.ts`);
    const { rateLimit, burstLimit } = throttles[found];
    return [route, { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit }];
  });
  // The property is free JSON: CloudFormation passes it on as it is written.
  (stage.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(settings);
  for (const made of routes.values()) stage.node.addDependency(...made);
}
