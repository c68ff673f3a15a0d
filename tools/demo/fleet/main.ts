import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { world } from '../../../programs/loadtest/machine.ts';
import { type Fleet, startFleet } from './fleet.ts';
import type { FromFleet, ToFleet } from './messages.ts';
import { presenceIn } from './presence.ts';

/** The fleet as a program, controlled over the channel to the demo, and by release hooks over loopback. */
let fleet: Fleet | undefined;
const say = (message: FromFleet) => process.send?.(message);

process.on('message', (message: ToFleet) => {
  if (message.do === 'start')
    fleet = startFleet(message.systems, { endpoint: message.endpoint, presence: presenceIn(message.seenFiles), world });
  else say({ is: 'look', ...(fleet?.look() ?? { systems: {}, calls: {} }) });
});
// The channel ends with the demo, however that ends; nothing of the fleet outlives it. Ctrl-C reaches this process,
// too, and the demo answers it.
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => {});

const releases = createServer(async (request, response) => {
  fleet?.knockNow((await text(request)).split('\n').filter(Boolean));
  response.writeHead(204).end();
});
releases.listen(0, '127.0.0.1', () => say({ is: 'ready', knockUrl: `http://127.0.0.1:${(releases.address() as AddressInfo).port}/` }));
