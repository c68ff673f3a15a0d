import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * Nodes that answer at once, one at each port: `PORT[,PORT…] [SYSTEMS [HANGING]]`. `GET /N` is answered with a list of
 * N systems, and calls of XML-RPC as a server with this many systems does. So many of the last nodes never answer a
 * list. An entry has 511 bytes, as those that the hub was measured with.
 */
const canned = new Map<number, Buffer>();

const member = (name: string, type: string, value: string | number): string =>
  `<member><name>${name}</name><value><${type}>${value}</${type}></value></member>`;

const system = (at: number): string =>
  `<value><struct>${[
    member('id', 'i4', 1_000_010_000 + at),
    member('name', 'string', `client-${String(at).padStart(6, '0')}.example.org`),
    member('last_checkin', 'dateTime.iso8601', '20261127T22:47:23'),
    member('created', 'dateTime.iso8601', '20260101T12:00:00'),
    member('last_boot', 'dateTime.iso8601', '20261101T12:00:00'),
  ].join('')}</struct></value>`;

function answerOf(systems: number): Buffer {
  const known = canned.get(systems);
  if (known) return known;
  const elements = Array.from({ length: systems }, (_, at) => system(at)).join('');
  const made = document(`<array><data>${elements}</data></array>`);
  canned.set(systems, made);
  return made;
}

const document = (value: string): Buffer =>
  Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><methodResponse><params><param><value>${value}</value></param></params></methodResponse>`,
  );
const key = document(`<string>1x${'a'.repeat(64)}</string>`);
const name = document('<string>client-000000.example.org</string>');

const [ports = '', systems = '0', hanging = '0'] = process.argv.slice(2);
const all = ports.split(',').map(Number);

function answered(call: IncomingMessage, answer: ServerResponse, hangs: boolean, body: string): void {
  const isList = body.includes('listSystems');
  if (isList && hangs) return;
  const bytes =
    call.method === 'GET'
      ? answerOf(Number(call.url?.slice(1)))
      : isList
        ? answerOf(Number(systems))
        : body.includes('auth.login')
          ? key
          : name;
  answer.writeHead(200, { 'content-type': 'text/xml', 'content-length': bytes.length }).end(bytes);
}

for (const [at, port] of all.entries()) {
  const hangs = at >= all.length - Number(hanging);
  // Connections last for the whole run: one that is closed while a call goes out would fail it.
  createServer({ keepAliveTimeout: 0 }, (call, answer) => {
    const parts: Buffer[] = [];
    call.on('data', (part: Buffer) => parts.push(part));
    call.once('end', () => answered(call, answer, hangs, Buffer.concat(parts).toString()));
  }).listen(port, '127.0.0.1');
}
