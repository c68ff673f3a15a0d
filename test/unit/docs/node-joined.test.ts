import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InventoryOfNodes } from '../../../docs/examples/node-joined/stack.ts';
import type { Envelope } from '../../../lib/ports/bus/bus.ts';
import { eventBridgeBus } from '../../../lib/ports/bus/eventbridge.ts';

const example = (name: string): Envelope =>
  JSON.parse(readFileSync(new URL(`../../../events/examples/${name}.json`, import.meta.url), 'utf8')) as Envelope;
const joined = example('node.joined.v1');

/** What our bus sends to EventBridge for an event, as EventBridge then hands it to rules. */
async function entryOf(event: Envelope) {
  const sent: { Source: string; DetailType: string; Detail: string }[] = [];
  const client = new EventBridgeClient({ region: 'eu-central-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  client.middlewareStack.add(() => async ({ input }) => {
    sent.push(...(input as { Entries: typeof sent }).Entries);
    return { output: { $metadata: {}, Entries: [{}] }, response: {} };
  });
  await eventBridgeBus({ client, busName: 'muster' }).publish([event]);
  const { Source, DetailType, Detail } = sent[0]!;
  return { source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) as Envelope };
}

describe('the worked rule', () => {
  const template = Template.fromStack(new InventoryOfNodes(new App(), 'Inventory', { inventoryUrl: 'https://inventory.acme.org' }));
  const [rule] = Object.values(template.findResources('AWS::Events::Rule')) as {
    Properties: { EventBusName: string; EventPattern: object };
  }[];

  it('listens on the bus of the deployment, and keeps what came to nothing', () => {
    expect(rule!.Properties.EventBusName).toBe('muster');
    template.resourceCountIs('AWS::SQS::Queue', 1);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { DestinationConfig: { OnFailure: {} } });
  });

  it.each([
    ['node.joined.v1', true],
    ['node.activated.v1', false],
  ])('for %s › matches: %s', async (name, matches) => {
    expect(matched(rule!.Properties.EventPattern, await entryOf(example(name)))).toBe(matches);
  });

  it('does not match a node of another zone', async () => {
    const elsewhere = { ...joined, data: { ...joined.data, zone: 'emea' } };
    expect(matched(rule!.Properties.EventPattern, await entryOf(elsewhere))).toBe(false);
  });
});

/** EventBridge's rule for the patterns used here: each field named must be one of the values listed. */
const matched = (pattern: object, event: object): boolean =>
  Object.entries(pattern).every(([field, wanted]) => {
    const value = (event as Record<string, unknown>)[field];
    return Array.isArray(wanted) ? wanted.includes(value) : matched(wanted as object, value as object);
  });

describe('its function', () => {
  const puts: unknown[] = [];
  let status: number;
  const inventory = createServer((request, response) => {
    void request
      .setEncoding('utf8')
      .toArray()
      .then((chunks) => {
        puts.push({ method: request.method, url: request.url, body: JSON.parse(chunks.join('')) });
        response.writeHead(status).end();
      });
  });

  beforeEach(async () => {
    puts.length = 0;
    inventory.listen(0, '127.0.0.1');
    await once(inventory, 'listening');
    process.env['INVENTORY_URL'] = `http://127.0.0.1:${(inventory.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    inventory.closeAllConnections();
    inventory.close();
  });

  it('puts the node into the inventory, the same each time', async () => {
    status = 200;
    const { handler } = await theHandler();
    const event = await entryOf(joined);
    await handler(event);
    await handler(event);
    const put = {
      method: 'PUT',
      url: '/hosts/node7.acme.org',
      body: { node: 'n0123456789abcdef', zone: 'default', since: joined.time, because: joined.id },
    };
    expect(puts).toEqual([put, put]);
  });

  it('fails when the inventory does, so that it is tried again', async () => {
    status = 503;
    const { handler } = await theHandler();
    await expect(handler(await entryOf(joined))).rejects.toThrow('the inventory answered 503 for node7.acme.org');
  });
});

/** The file as Lambda loads it: plain JavaScript, without types. */
const theHandler = async () => {
  const file = new URL('../../../docs/examples/node-joined/handler/index.mjs', import.meta.url).href;
  return (await import(file)) as { handler: (event: object) => Promise<void> };
};
