import { createServer } from 'node:http';

/*
 * The least that node's own HTTP server can do: it answers every call on the port that it is given with one byte, and
 * looks at nothing. What a door costs beyond it is ours; what both cost is node's and the machine's.
 */
const headers = { 'content-type': 'text/plain', 'content-length': '1', 'cache-control': 'no-store' };

createServer((_call, answer) => void answer.writeHead(200, headers).end('1')).listen(Number(process.argv[2]), '127.0.0.1');
