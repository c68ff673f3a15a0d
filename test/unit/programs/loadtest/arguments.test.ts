import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ran } from '../cli/a-terminal.ts';

/** Nobody listens there: whatever gets so far as to call is told so, with 69. */
const nowhere = { env: { MUSTER_ENDPOINT: 'http://127.0.0.1:9' } };

describe('nonsense', () => {
  it.each([
    ['--nodes 0', '--nodes'],
    ['--nodes 5001', '--nodes'],
    ['--nodes two', '--nodes'],
    ['--clients -1', '--clients'],
    ['--clients 1e5', '--clients'],
    ['--rate 0', '--rate'],
    ['--for 0s', '--for'],
    ['--for 25h', '--for'],
    ['--for ever', '--for'],
    ['--connections 1', '--connections'],
    ['--bears 0', '--bears'],
    ['--bears many', '--bears'],
    ['--zone Über', '--zone'],
    ['--fail nodes=3', 'at=60s,nodes=10,for=120s'],
    ['--fail at=400s,nodes=1,for=1s', 'after the end'],
    ['--nodes 3 --fail at=1s,nodes=4,for=1s', '4 nodes would be silent at once'],
    ['--nodes 3 --fail at=1s,nodes=2,for=9s --fail at=2s,nodes=2,for=1s', '4 nodes would be silent at once'],
    ['--endpoint http://muster.acme.org:8080', 'not on this machine'],
    ['--endpoint http://muster.acme.org:8080 --allow-remote', 'does not use https'],
    ['--colour', '--colour'],
    ['everything', 'too many arguments'],
  ])('is refused in one line that names it: %s', async (line, named) => {
    const { code, out, err } = await ran(`loadtest ${line}`, nowhere);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^muster: [^\n]+\n$/);
    expect(err).toContain(named);
  });

  it('is a report where no folder can be', async () => {
    const home = mkdtempSync(join(tmpdir(), 'muster-'));
    writeFileSync(join(home, 'file'), '');
    const { code, err } = await ran(`loadtest --report ${join(home, 'file', 'folder')}`, nowhere);
    rmSync(home, { recursive: true });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^muster: cannot write to .+ \(ENOTDIR\)\n$/) });
  });
});

describe('a deployment that is not there', () => {
  it('is told in one line', async () => {
    const { code, err } = await ran('loadtest', nowhere);
    expect(code).toBe(69);
    expect(err).toMatch(/^muster: [^\n]+\n$/);
  });
});
