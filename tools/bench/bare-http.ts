import { createServer } from 'node:http';

/**
 * The least that node's own HTTP server can do: it answers every call on its port with one byte, and reads nothing. The
 * cost of an endpoint beyond that is ours; the cost of both is that of node and the machine.
 */
const headers = { 'content-type': 'text/plain', 'content-length': '1', 'cache-control': 'no-store' };

createServer((_call, answer) => void answer.writeHead(200, headers).end('1')).listen(Number(process.argv[2]), '127.0.0.1');
