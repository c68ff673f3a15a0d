import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { secondMs } from '../../../../lib/core/time.ts';
import { isLoopback } from '../../../../lib/machine/endpoint.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import { judge, lockedHeader } from '../../../../lib/uyuni/api/common-writes.ts';
import { kindOfMethod } from '../../../../lib/uyuni/content/kinds.ts';
import { headBytesMax, methodIn, NamesOfMethods } from '../../../../lib/uyuni/xml-rpc/method-name.ts';
import { faultText } from '../../../../lib/uyuni/xml-rpc/write.ts';
import { passedHeader } from '../cluster-mode/passing.ts';
import { headersOnward, type Onward, type Parts, passOn } from './pass-on.ts';
import { plain, type SitePass, send } from './site.ts';
import { lockedText, type Standing } from './standing.ts';

/** Where calls go that are not locked: Apache itself, which knows by the secret that they were judged. */
export type Behind = { readonly server: string; readonly secret: string };

/** Every path that a server takes for its XML-RPC interface: its rules match what begins so. */
const paths = /^\/(rpc\/api|WEBRPC|rhn\/rpc\/api)/;

/** The code of a server's fault for what a person may not do. */
const permission = -23;
const headLimitMs = 10 * secondMs;

/** A call that named a second method after the first was judged. */
class SecondMethod extends Error {
  override readonly name = 'SecondMethod';
}

/** Reads the method of each call, answers those that change common content, and passes the others on as they are. */
export const xmlRpcGate = (behind: Behind, standing: () => Standing, after: World['after']): SitePass => ({
  takes: (path) => paths.test(path),
  pass: async (request, response) => {
    const parts = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const head = await headOf(request, parts, after);
    if (head === 'late') return send(response, plain(408, 'The call did not come.\n', { connection: 'close' }), false);
    const read = methodIn(head, request.complete);
    const why = refusalOf('method' in read ? read.method : undefined, 'unreadable' in read ? read.unreadable : '', standing());
    if (why !== undefined) return refuse(request, response, why, { [lockedHeader]: 'content' });
    try {
      await passOn(onwardOf(request, behind), namedOnce(head, parts), response, sendBack);
    } catch (error) {
      if (!(error instanceof SecondMethod)) throw error;
      if (response.headersSent) response.destroy();
      else refuse(request, response, 'The call names more than one method.');
    }
  },
});

/** Why a call is not passed on; undefined for one that is. */
function refusalOf(method: string | undefined, unreadable: string, standing: Standing): string | undefined {
  if (standing.isOpen) return undefined;
  if (method === undefined) return `Muster cannot tell which method this call has (${unreadable}), and common content is locked.`;
  switch (judge(method)) {
    case 'open':
      return undefined;
    case 'common':
      return lockedText(kindOfMethod(method)?.title ?? method, standing);
    case 'unknown':
      return `Muster does not know the method ${method}, which may change common content, and that is locked.`;
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, text: string, headers: Readonly<Record<string, string>> = {}): void {
  // What is left of the body is not read; a caller that still sends it must not find the connection closed.
  request.resume();
  const body = faultText({ code: permission, text });
  send(response, { status: 200, headers: { 'content-type': 'text/xml', ...headers }, body }, false);
}

/** The first bytes of a call, until its method is known or cannot be; `late` when they do not come. */
async function headOf(request: IncomingMessage, parts: AsyncIterator<Buffer>, after: World['after']): Promise<Buffer | 'late'> {
  let head = Buffer.alloc(0);
  const late = new Promise<'late'>((resolve) => {
    request.once(
      'close',
      after(headLimitMs, () => resolve('late')),
    );
  });
  while ('needs' in methodIn(head, false) && head.byteLength < headBytesMax) {
    const part = await Promise.race([parts.next(), late]);
    if (part === 'late') return part;
    if (part.done) break;
    head = Buffer.concat([head, part.value]);
  }
  return head;
}

/** The bytes of a call as they came. Throws {@link SecondMethod} before the part that has a second name. */
async function* namedOnce(head: Buffer, rest: AsyncIterator<Buffer>): Parts {
  const names = new NamesOfMethods();
  for (let part: Buffer | undefined = head; part !== undefined; part = await nextOf(rest)) {
    if (names.isTooMany(part)) throw new SecondMethod();
    yield part;
  }
}

const nextOf = async (parts: AsyncIterator<Buffer>): Promise<Buffer | undefined> => {
  const next = await parts.next();
  return next.done ? undefined : next.value;
};

function onwardOf(request: IncomingMessage, { server, secret }: Behind): Onward {
  const url = new URL(request.url ?? '/', server);
  const host = request.headers.host ?? url.host;
  const name = host.replace(/:\d+$/, '');
  return {
    url,
    method: request.method ?? 'POST',
    headers: { ...headersOnward(request), host, [passedHeader]: secret },
    // Its own port of this machine has the certificate of its name, perhaps by an authority of its own.
    options: isLoopback(server) ? { servername: isIP(name) === 0 ? name : '', rejectUnauthorized: false } : {},
  };
}

async function sendBack(got: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(got.statusCode ?? 502, headersOnward(got));
  await pipeline(got, response);
}
