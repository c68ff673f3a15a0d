import { fileURLToPath } from 'node:url';
import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Architecture, Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Tells an inventory of every node that joins the zone `default`. */
export class InventoryOfNodes extends Stack {
  constructor(scope: Construct, id: string, { inventoryUrl, ...props }: StackProps & { readonly inventoryUrl: string }) {
    super(scope, id, props);
    const undelivered = new Queue(this, 'Undelivered', { enforceSSL: true });
    const handler = new Lambda(this, 'OnNodeJoined', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(fileURLToPath(new URL('handler', import.meta.url))),
      environment: { INVENTORY_URL: inventoryUrl },
      timeout: Duration.seconds(10),
      onFailure: new SqsDestination(undelivered),
    });
    new Rule(this, 'NodeJoined', {
      eventBus: EventBus.fromEventBusName(this, 'Muster', 'muster'),
      eventPattern: { source: ['muster'], detailType: ['node.joined'], detail: { data: { zone: ['default'] } } },
      targets: [new LambdaFunction(handler, { deadLetterQueue: undelivered })],
    });
  }
}
