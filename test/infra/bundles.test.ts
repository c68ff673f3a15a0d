import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { bundle } from '../../infra/bundle.ts';
import { type FunctionWiring, wiring } from '../../infra/wiring.ts';
import { workerChecks } from '../../lib/ports/checks/worker.ts';
import { noon } from '../../tools/support/a-row.ts';
import { anS3 } from '../support/an-s3.ts';

const functions = Object.entries<FunctionWiring<string>>({ ...wiring.functions, ...wiring.direct });
/** What the SDK's clients call themselves. */
const services = ['DynamoDB', 'SQS', 'EventBridge', 'Secrets Manager', 'S3'];
const servicesIn = (text: string): string[] => services.filter((service) => new RegExp(`serviceId:[^,]{0,20}"${service}"`).test(text));

describe('the bundle of', () => {
  it.each(functions)(
    '%s is one module with the clients it is wired to and no other',
    async (name, { sends, publishes, signs, audits, routes, checks, objects, pages }) => {
      const folder = bundle(name);
      const file = join(folder, 'index.mjs');
      const text = readFileSync(file, 'utf8');
      expect(readdirSync(folder)).toEqual([
        ...(checks ? ['check-thread.mjs'] : []),
        'index.mjs',
        ...(objects ? ['objects.mjs'] : []),
        ...(pages ? ['page'] : []),
      ]);
      expect(servicesIn(text)).toEqual([
        'DynamoDB',
        ...(sends ? ['SQS'] : []),
        ...(publishes ? ['EventBridge'] : []),
        // Doors read the secret of the edge, where there is one.
        ...(signs || audits || routes ? ['Secrets Manager'] : []),
      ]);
      const { handler } = (await import(pathToFileURL(file).href)) as { handler: unknown };
      expect(handler).toBeTypeOf('function');
    },
  );
  it('a function that checks by schemas has the program of the thread that does', async () => {
    const checks = workerChecks({ program: pathToFileURL(join(bundle('admin'), 'check-thread.mjs')), waitMs: 60_000 });
    const { verdict } = await checks.check({ schema: '{"pattern":"^(a+)+$"}', data: '"ab"' });
    expect(verdict).toEqual({ is: 'done', faults: [{ pointer: '', detail: 'String does not match pattern.' }] });
  });
  it('a function that uses objects has the program that asks S3 for them, which alone has that client', async () => {
    const file = join(bundle('search'), 'objects.mjs');
    expect(servicesIn(readFileSync(file, 'utf8'))).toEqual(['S3']);
    const s3 = await anS3(() => noon);
    vi.stubEnv('AWS_REGION', 'eu-central-1').stubEnv('AWS_ENDPOINT_URL_S3', s3.client.endpoint);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key').stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    const { bucketObjects } = (await import(pathToFileURL(file).href)) as typeof import('../../lib/ports/objects/bucket.ts');
    const objects = bucketObjects('bucket', 'table');
    await objects.write('index', Buffer.from('one'));
    expect(Buffer.from((await objects.read('index'))!.bytes).toString()).toBe('one');
    vi.unstubAllEnvs();
    await s3.close();
  });
  it('a function that is not wired does not exist', () => expect(() => bundle('nobody')).toThrow('the wiring has no function nobody'));
  it('the same source is the same bytes', () => {
    const bytes = () => readFileSync(join(bundle('publish'), 'index.mjs'), 'utf8');
    expect(bytes()).toBe(bytes());
  });
});
