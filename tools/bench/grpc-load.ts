import { type ClientHttp2Stream, connect } from 'node:http2';
import type { Loaded } from './load.ts';
import { quantile } from './rounds.ts';

/** A gRPC message: not compressed, its length, its bytes. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, 5);
  return frame;
}

/** An etcdserverpb.LeaseKeepAliveRequest, whose only field is the lease's id, a varint. */
function keepAlive(id: bigint): Buffer {
  const bytes = [0x08];
  for (let rest = id; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 0x80n) {
      bytes.push(low);
      return framed(Buffer.from(bytes));
    }
    bytes.push(low | 0x80);
  }
}

/** One open keepalive stream on a connection of its own: sends again whenever it is answered. */
function keepOn(url: string, id: bigint, took: (ms: number) => void): ClientHttp2Stream {
  const session = connect(url);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/etcdserverpb.Lease/LeaseKeepAlive',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const request = keepAlive(id);
  let held: Buffer = Buffer.alloc(0);
  let sentAt = performance.now();
  stream.write(request);
  stream.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= 5 && held.length >= 5 + held.readUInt32BE(1)) {
      held = held.subarray(5 + held.readUInt32BE(1));
      const now = performance.now();
      took(now - sentAt);
      sentAt = now;
      stream.write(request);
    }
  });
  const fail = (error: Error): never => {
    throw error;
  };
  stream.on('error', fail);
  session.on('error', fail);
  return stream;
}

/**
 * The leases on as many connections, each kept alive again as soon as its answer arrives; the first second is not
 * counted.
 */
async function load(url: string, ids: readonly bigint[], seconds: number): Promise<Loaded & { readonly ownCpu: number }> {
  let took: number[] = [];
  const streams = ids.map((id) => keepOn(url, id, (ms) => void took.push(ms)));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  took = [];
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  const counted = took;
  for (const { session } of streams) session?.destroy();
  const [p50Ms, p99Ms] = [quantile(counted, 0.5), quantile(counted, 0.99)];
  return { perSecond: (counted.length / ms) * 1_000, p50Ms, p99Ms, ownCpu: (user + system) / 1_000 / ms };
}

// Called by the benchmark beside it: a process of its own, so that neither holds up the other.
const [url, seconds, ...ids] = process.argv.slice(2);
console.log(JSON.stringify(await load(url!, ids.map(BigInt), Number(seconds))));
process.exit(0);
