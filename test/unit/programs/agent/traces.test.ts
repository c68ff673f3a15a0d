import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';
import { inputLine, Traces } from '../../../../programs/agent/traces.ts';

let folder: Folder;
let said: string[];
const started = () => new Traces({ folder, say: (line) => void said.push(line) });
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'muster-traces-')));
  said = [];
});

describe('traces of an agent', () => {
  it('are written of the parts that Muster wants them of, and of no other', () => {
    const { trace, ...traces } = { trace: started().trace };
    expect(traces).toEqual({});
    trace('services', () => 'never');
    const on = started();
    on.desired(['services', 'http']);
    on.trace('services', () => 'looked');
    on.trace('processes', () => {
      throw new Error('nobody asks what is not written');
    });
    on.desired(['http']);
    on.trace('services', () => 'never');
    on.desired(undefined);
    expect(said).toEqual(['traces are on: services, http', 'trace services: looked', 'traces are on: http', 'traces are off']);
  });

  it('go on after the agent was started again, and end for good', () => {
    started().desired(['station']);
    const again = started();
    again.trace('station', () => 'hears 2 of 3 nodes');
    again.desired(['station']);
    again.desired([]);
    started().trace('station', () => 'never');
    expect(said).toEqual(['traces are on: station', 'traces are on: station', 'trace station: hears 2 of 3 nodes', 'traces are off']);
  });

  it('begin with none where the file is damaged', () => {
    folder.write('traces.json', '{"traces": ["everything"]}');
    started().trace('http', () => 'never');
    folder.write('traces.json', '{');
    started();
    expect(said).toEqual([]);
  });

  it('of calls have method, address and status, and nothing that is sent', async () => {
    const on = started();
    on.desired(['http']);
    let at = 0;
    const answer = new Response('{}', { status: 202 });
    const good = on.fetching(
      async () => answer,
      () => (at += 7),
    );
    const init = { method: 'POST', headers: { authorization: 'secret' }, body: '{"token":"secret"}' } as const;
    expect(await good('https://muster.acme.org/nodes/join?token=secret', init as never)).toBe(answer);
    const bad = on.fetching(
      () => Promise.reject(new Error('no route to host')),
      () => 0,
    );
    await expect(bad('https://muster.acme.org/nodes/n1/heartbeat', init as never)).rejects.toThrow('no route');
    expect(said.slice(1)).toEqual([
      'trace http: POST https://muster.acme.org/nodes/join → 202, 7 ms',
      'trace http: POST https://muster.acme.org/nodes/n1/heartbeat → no route to host, 0 ms',
    ]);
  });

  it('of inputs have words and numbers, and of anything else how much there is', () => {
    const input = {
      type: 'desired',
      rev: 7,
      services: [{ configuration: '{"password":"secret"}' }],
      look: { says: 'secret' },
      why: undefined,
    };
    expect(inputLine(input)).toBe('desired rev=7 services: 1');
    expect(inputLine({ type: 'tick' })).toBe('tick');
  });
});
