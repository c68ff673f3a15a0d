import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../../../programs/cli/exit-codes.ts';
import { ran } from './a-terminal.ts';

/** A deployment that carries out a rotation, and whose first answers to it are lost on the way. */
let server: Server;
let signs: number;
let lost: number;
let asked: unknown[];
beforeEach(async () => {
  [signs, lost, asked] = [3, 0, []];
  server = createServer((request, response) => {
    const told = (body: object) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET') return told({ items: [{ id: signs, use: 'signs' }] });
    return request.setEncoding('utf8').on('data', (text: string) => {
      const order = JSON.parse(text) as { replaces: number };
      asked.push(order);
      if (order.replaces === signs) signs += 1;
      if (asked.length <= lost) request.socket.destroy();
      else told({ current: signs, because: `key ${signs} signs` });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const rotate = (more = '') =>
  ran(`keys rotate --force --yes${more}`, { env: { MUSTER_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
const order = { force: true, replaces: 3 };

describe('keys rotate', () => {
  it('names the key that it replaces, and when the answer is lost says the same again: one key is replaced', async () => {
    lost = 2;
    expect(await rotate()).toMatchObject({ out: 'key 4 signs\n', code: exitCodes.done });
    expect(asked).toEqual([order, order, order]);
    expect(signs).toBe(4);
  });

  it('says how to repeat it when no answer comes, and that replaces no second key', async () => {
    lost = 3;
    const { err, code } = await rotate();
    expect({ err, code }).toEqual({
      err: expect.stringContaining(
        'key 3 may have been replaced or not. Repeat the command with --replaces 3, which replaces no other key',
      ),
      code: exitCodes.unreachable,
    });
    expect(await rotate(' --replaces 3')).toMatchObject({ code: exitCodes.done });
    expect(signs).toBe(4);
  });
});
