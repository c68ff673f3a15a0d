import { connect, createServer } from 'node:net';

/**
 * Hands each connection on `HOST:PORT` to another `HOST:PORT`, as a load balancer does, so that a namespace reaches a
 * server that listens on loopback alone.
 */
const [from, to] = process.argv.slice(2).map((text) => {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
});
if (!from || !to) throw new Error('called as: node tools/demo/services/forward.ts HOST:PORT HOST:PORT');
createServer((near) => {
  const far = connect(to);
  near.pipe(far).pipe(near);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}).listen(from, () => process.stdout.write('it forwards\n'));
