import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { returns } from '../../../lib/uyuni/api/returns.ts';
import type { ClusterIdOf } from '../../../lib/uyuni/merge/ids.ts';
import { mergeArrays } from '../../../lib/uyuni/merge/merge.ts';
import { readResponse } from '../../../lib/uyuni/xml-rpc/read.ts';
import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { responseText } from '../../../lib/uyuni/xml-rpc/write.ts';

/**
 * The part of a gateway that is measured, in one of three ways: `PORT NODES-PORT NODES SYSTEMS WAY`. Each call to it
 * asks all nodes at once, and answers with the systems of all.
 */
const [port, nodesPort, nodes, systems] = process.argv.slice(2, 6).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

const ask = (signal?: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get({ port: nodesPort, path: `/${systems}`, agent, ...(signal && { signal }) }, resolve).once('error', reject);
  });
const names = Array.from({ length: nodes! }, (_, at) => at);
/** As much work as a look in a table of ids. */
const tables = names.map(
  (at) => new Map(Array.from({ length: systems! }, (_, id) => [1_000_010_000 + id, 1_500_000_000 + at * systems! + id])),
);
const idOf =
  (at: number): ClusterIdOf =>
  (_, localId) =>
    tables[at]!.get(localId);

const ways: Readonly<Record<string, (answer: ServerResponse) => Promise<void>>> = {
  merged: (answer) => {
    const asked = names.map((at) => ({ node: `node-${at}`, open: ask, clusterIdOf: idOf(at) }));
    return pipeline(Readable.from(mergeArrays(asked, { ids: returns.get('system.listSystems')!.ids }).body, { objectMode: false }), answer);
  },
  copied: async (answer) => {
    const answers = await Promise.all(names.map(() => ask()));
    for (const one of answers) await pipeline(one, answer, { end: false });
    answer.end();
  },
  trees: async (answer) => {
    const documents = await Promise.all(names.map(async () => (await (await ask()).setEncoding('utf8').toArray()).join('')));
    const merged = documents.flatMap((document, at) => {
      const response = readResponse(document);
      if (!response.ok) throw new Error(response.fault.text);
      return (response.value as readonly { readonly [name: string]: Value }[]).map((one) => ({
        ...one,
        id: idOf(at)('system', one['id'] as number)!,
      }));
    });
    answer.end(responseText(merged));
  },
};

const way = ways[process.argv[6]!]!;
// Connections last for the whole run: one that is closed while a call goes out would fail it.
createServer({ keepAliveTimeout: 0 }, (call, answer) => {
  if (call.url === '/up') answer.end();
  else way(answer.writeHead(200, { 'content-type': 'text/xml' })).catch((error: unknown) => answer.destroy(error as Error));
}).listen(port, '127.0.0.1');
