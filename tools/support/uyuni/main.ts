import { parseArgs } from 'node:util';
import { administrator, startServer } from './played-server.ts';
import { keepPassing } from './salt/passing.ts';

/** How often minions call, in ms. */
const everyMs = 200;

const usage = 'usage: node tools/support/uyuni/main.ts [--fqdn NAME] [--systems N] [--port N] [--until-input-ends]';

/**
 * A played server as a program. It prints one line of JSON when it is there. It ends by a signal, or when its input
 * ends, which is when its parent does.
 */
const { values } = parseArgs({
  options: {
    fqdn: { type: 'string' },
    systems: { type: 'string' },
    port: { type: 'string' },
    'until-input-ends': { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (values.help) process.stdout.write(`${usage}\n`);
else await run();

async function run(): Promise<void> {
  const { fqdn, systems = '0', port } = values;
  const count = Number(systems);
  if (!Number.isInteger(count) || count < 0) throw new Error(`--systems ${systems} is not a number of systems\n${usage}`);
  const server = await startServer({
    systems: count,
    ...(fqdn !== undefined && { fqdn }),
    ...(port !== undefined && { port: Number(port) }),
  });
  const { url, root, postgres } = server;
  process.stdout.write(`${JSON.stringify({ fqdn: server.fqdn, url, root, database: postgres.folder, administrator })}\n`);
  const passing = keepPassing(server.onboarding, everyMs, ({ message }) => void process.stderr.write(`uyuni: ${message}\n`));
  const end = () =>
    void passing
      .stop()
      .then(server.stop)
      .then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  if (values['until-input-ends']) process.stdin.on('end', end).resume();
}
