import { createServer } from 'node:http';
import { variableName } from '../../../lib/mero/facts/configuration.ts';

/*
 * A small real program that stands for a Mero process in the demo. It is told by its environment who it is, as the real
 * ones are; an s3server answers on its port with its own fid, so that anybody can see that it is there and which life
 * of it that is.
 */

const fid = process.env['MERO_PROCESS_FID'];
if (fid === undefined) {
  console.error('there is no MERO_PROCESS_FID: nobody has said who this is');
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
