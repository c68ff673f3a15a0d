import { createServer } from 'node:http';

/**
 * Nodes that answer `system.listSystems` at once, all at one port: the path is how many systems one has. An entry has
 * 511 bytes, as those that the hub was measured with.
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
  const document = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><methodResponse><params><param><value><array><data>${elements}</data></array></value></param></params></methodResponse>`,
  );
  canned.set(systems, document);
  return document;
}

// Connections last for the whole run: one that is closed while a call goes out would fail it.
createServer({ keepAliveTimeout: 0 }, (call, answer) => {
  const document = answerOf(Number(call.url?.slice(1)));
  answer.writeHead(200, { 'content-type': 'text/xml', 'content-length': document.length }).end(document);
}).listen(Number(process.argv[2]), '127.0.0.1');
