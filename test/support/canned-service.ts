import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of a service: a status and a JSON body. */
export type Answer = { readonly status?: number; readonly body: object };

/** A request as it came: the operation's name and its JSON body. */
export type Asked = { readonly operation: string; readonly body: Readonly<Record<string, unknown>> };

/** What an SDK client needs to talk to the service, what it was asked, and its end. */
export type CannedService = {
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { accessKeyId: string; secretAccessKey: string };
    readonly maxAttempts: 1;
  };
  readonly asked: readonly Asked[];
  readonly close: () => Promise<void>;
};

/**
 * An AWS service on a loopback port that gives the answers one after the other, and the last one for ever: the SDK
 * itself is real, so that its own errors are what an adapter meets. Clients do not try again by themselves.
 */
export async function cannedService(...answers: readonly Answer[]): Promise<CannedService> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).map(String).join('');
    const { status = 200, body } = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push({ operation: String(request.headers['x-amz-target']).split('.').at(-1)!, body: JSON.parse(text) });
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', connection: 'close' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    client: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
      maxAttempts: 1,
    },
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** An answer that the SDK turns into the exception of that name. */
export const refusal = (name: string, more: object = {}, status = 400): Answer => ({
  status,
  body: { __type: `com.amazonaws#${name}`, message: 'canned', ...more },
});
