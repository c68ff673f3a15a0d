import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeDeployment } from './fake-deployment.ts';
import { aNode } from './views.ts';

let fake: FakeDeployment;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    listNodes: () => ({ items: Array.from({ length: 200 }, () => aNode()), next: 'more' }),
    listZones: () => ({ items: [] }),
  });
});
afterAll(() => fake.stop());

/**
 * Starts the program itself and resolves to what it wrote and its exit code; `reads` false closes its standard output
 * at once.
 */
async function started(words: readonly string[], { env = {}, reads = true }: { env?: Record<string, string>; reads?: boolean } = {}) {
  const child = spawn(process.execPath, ['programs/cli/main.ts', ...words], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], MUSTER_ENDPOINT: fake.url, ...env },
  });
  const texts = { out: '', err: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => (texts.err += text));
  if (reads) child.stdout.setEncoding('utf8').on('data', (text) => (texts.out += text));
  else child.stdout.destroy();
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { ...texts, code };
}

describe('the program', () => {
  it('writes all of a long list to a pipe, without colours, and leaves with 0', async () => {
    const { out, err, code } = await started(['node', 'list', '--limit', '5000']);
    expect({ lines: out.split('\n').length, coloured: out.includes('\u001b'), err, code }).toEqual({
      lines: 5002,
      coloured: false,
      err: 'there are more; --limit all shows them all\n',
      code: 0,
    });
  });

  it('ends silently when nobody reads what it writes', async () => {
    expect(await started(['node', 'list', '--json', '--limit', '5000'], { reads: false })).toMatchObject({
      err: expect.not.stringContaining('EPIPE'),
      code: 0,
    });
  });

  it('has the name it was called by, and refuses to drop where nobody can be asked', async () => {
    const { out, err, code } = await started(['node', 'drop', 'node7.acme.org'], { env: { MUSTER_PROGRAM: 'hctl' } });
    expect({ out, name: err.split(':')[0], code }).toEqual({ out: '', name: 'hctl', code: 2 });
  });

  it('prints its version', async () => {
    expect(await started(['--version'])).toEqual({ out: '0.1.0\n', err: '', code: 0 });
  });
});
