import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problemOf, Refusal } from '../../../../lib/api/problem.ts';
import type { Route } from '../../../../lib/api/route.ts';
import { router } from '../../../../lib/api/router.ts';
import { contract } from '../../../../lib/contract.ts';

/** What a route was sent, already checked against the contract. */
export type Received = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
};
/** Thrown instead of an answer: the deployment is away, and the call is cut off. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}
/**
 * How each route that the test needs answers; a thrown {@link Refusal} becomes a problem. The reply is checked against
 * the contract, so that the fake cannot drift from it.
 */
export type Answers = Partial<Record<keyof typeof contract, (received: Received) => unknown>>;

/** A deployment over HTTP that answers by the contract what the test says, and remembers what it was sent. */
export class FakeDeployment {
  readonly #server: Server;
  readonly received: { readonly route: string; readonly received: Received }[] = [];
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Listens on a free port of the loopback interface. */
  static async start(answers: Answers): Promise<FakeDeployment> {
    const match = router(contract);
    const server = createServer((request, response) => {
      void answer(request).then((reply) => (reply ? response.writeHead(reply.status, reply.headers).end(reply.body) : response.destroy()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const fake = new FakeDeployment(server);
    const answer = async (request: IncomingMessage) => {
      const url = new URL(request.url ?? '/', fake.url);
      try {
        const found = match(request.method ?? '', url.pathname);
        if (!found || 'allow' in found) throw new Refusal('not-found', `nothing at ${url.pathname}`);
        const route: Route = contract[found.name as keyof typeof contract];
        const text = (await request.setEncoding('utf8').toArray()).join('');
        const received = {
          params: route.params?.parse(found.params),
          query: route.query?.parse(Object.fromEntries(url.searchParams)),
          body: route.body?.parse(JSON.parse(text || '{}')),
          headers: request.headers,
        };
        fake.received.push({ route: found.name, received });
        const reply = answers[found.name as keyof Answers]?.(received);
        const body = JSON.stringify(route.reply?.parse(reply));
        return { status: route.statuses[0]!, headers: { 'content-type': 'application/json', etag: '"7"' }, body };
      } catch (error) {
        if (error instanceof NoAnswer) return undefined;
        const refusal = error instanceof Refusal ? error : new Refusal('unexpected', String(error));
        const problem = problemOf(refusal, 'call-1');
        return {
          status: problem.status,
          headers: { 'content-type': 'application/problem+json', ...refusal.headers },
          body: JSON.stringify(problem),
        };
      }
    };
    return fake;
  }

  /** Stops listening and closes what is still open. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
