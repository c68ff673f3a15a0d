import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EpochMs } from '../../lib/core/time.ts';

/** How many keys a page of a list has: few, so that lists have several. */
const pageKeys = 2;

type Held = { readonly bytes: Buffer; readonly tag: string; readonly at: EpochMs };

/** A server that answers as S3 does, as far as objects go: https://docs.aws.amazon.com/AmazonS3/latest/API/. */
export type AnS3 = {
  /** What a client needs to ask it. */
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly forcePathStyle: true;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly maxAttempts: 1;
  };
  /** Refuses everything from now on as S3 does when it is too busy. */
  readonly beBusy: () => void;
  readonly close: () => Promise<void>;
};

/** Starts one without any object. `now` dates objects, in whole seconds as S3 does. */
export async function anS3(now: () => EpochMs): Promise<AnS3> {
  const held = new Map<string, Held>();
  let isBusy = false;
  const server = createServer((request, response) => {
    if (isBusy) fail(response, 503, 'SlowDown');
    else void bodyOf(request).then((body) => answer({ request, response, body, held, now }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    client: {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', forcePathStyle: true, maxAttempts: 1 },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    beBusy: () => {
      isBusy = true;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

type Asked = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly held: Map<string, Held>;
  readonly now: () => EpochMs;
};

function answer(asked: Asked): void {
  const { pathname, searchParams } = new URL(asked.request.url ?? '/', 'http://s3');
  const key = decodeURIComponent(pathname);
  if (searchParams.get('list-type') === '2') list(asked, pathname.replace(/\/$/, ''), searchParams);
  else if (asked.request.method === 'GET') get(asked, key);
  else if (asked.request.method === 'PUT') put(asked, key);
  else {
    asked.held.delete(key);
    asked.response.writeHead(204);
    asked.response.end();
  }
}

function get({ response, held }: Asked, key: string): void {
  const found = held.get(key);
  if (!found) fail(response, 404, 'NoSuchKey');
  else {
    response.writeHead(200, { etag: found.tag, 'last-modified': new Date(found.at).toUTCString(), 'content-length': found.bytes.length });
    response.end(found.bytes);
  }
}

function put({ request, response, body, held, now }: Asked, key: string): void {
  const found = held.get(key);
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  // Where there is no object, S3 answers a condition on its ETag as if it had been asked for.
  if (match !== undefined && !found) fail(response, 404, 'NoSuchKey');
  else if ((noneMatch === '*' && found) || (match !== undefined && match !== found?.tag)) fail(response, 412, 'PreconditionFailed');
  else {
    const tag = `"${createHash('md5').update(body).digest('hex')}"`;
    held.set(key, { bytes: body, tag, at: now() });
    response.writeHead(200, { etag: tag });
    response.end();
  }
}

function list({ response, held }: Asked, bucket: string, asked: URLSearchParams): void {
  const after = asked.get('continuation-token') ?? '';
  const keys = [...held.keys()]
    .map((key) => key.slice(bucket.length + 1))
    .filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after)
    .sort();
  const page = keys.slice(0, pageKeys);
  const isCut = keys.length > pageKeys;
  const contents = page.map((key) => {
    const { at, tag } = held.get(`${bucket}/${key}`)!;
    return `<Contents><Key>${key}</Key><LastModified>${new Date(at).toISOString()}</LastModified><ETag>${tag}</ETag></Contents>`;
  });
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  xml(response, 200, `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`);
}

const fail = (response: ServerResponse, status: number, code: string): void => xml(response, status, `<Error><Code>${code}</Code></Error>`);

function xml(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}
