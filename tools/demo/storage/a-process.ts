import { createServer } from 'node:http';
import { variableName } from '../../../lib/mero/facts/configuration.ts';

/**
 * A small real program that stands for a Mero process in the demo. Its environment gives its identity, as for the real
 * ones. An s3server answers on its port with its own fid, which shows that it runs, and its current instance.
 */

const fid = process.env['MERO_PROCESS_FID'];
if (fid === undefined) {
  console.error('MERO_PROCESS_FID is not set: this process has no identity');
  process.exit(1);
}
const port = Number(process.env[variableName('MERO_S3SERVER_PORT')] ?? 0);
const server = createServer((_request, response) => response.end(`${fid} ${process.pid}\n`));
server.listen(port, '127.0.0.1', () => console.log('ready'));
server.once('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
process.once('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
