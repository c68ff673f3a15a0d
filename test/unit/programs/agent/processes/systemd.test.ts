import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import { livesOf } from '../../../../../programs/agent/processes/born.ts';
import type { Held } from '../../../../../programs/agent/processes/state.ts';
import { SystemdRunner, unitOf } from '../../../../../programs/agent/processes/systemd.ts';
import { aDesired, fids } from './played.ts';

const [confd, ios] = fids as [(typeof fids)[number], (typeof fids)[number]];
const lives = livesOf('0123abcd');
const own = lives.of(process.pid)!;

/** A systemctl that answers with what is in a file, and writes down how it was called. */
const standIn = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
cat "$(dirname "$0")/says"
if [ -s "$(dirname "$0")/complains" ]; then cat "$(dirname "$0")/complains" >&2; exit 5; fi
`;

let folder: string;
let path: string | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-units-'));
  writeFileSync(join(folder, 'systemctl'), standIn);
  chmodSync(join(folder, 'systemctl'), 0o755);
  for (const name of ['calls', 'says', 'complains']) writeFileSync(join(folder, name), '');
  path = process.env['PATH'];
  process.env['PATH'] = `${folder}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true });
});
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
const says = (...blocks: Record<string, string | number>[]) =>
  writeFileSync(
    join(folder, 'says'),
    blocks
      .map((block) =>
        Object.entries(block)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      )
      .join('\n'),
  );
const complains = (text: string) => writeFileSync(join(folder, 'complains'), text);
const held = (over: Partial<Held> = {}): Held => ({
  process: confd,
  prefix: 'm0d',
  startMs: 180_000,
  stopMs: 600_000,
  is: 'online',
  since: 0 as EpochMs,
  ...over,
});
/** What a unit that says this is found to be. */
async function found(block: Record<string, string | number>) {
  says({ Id: unitOf(held()), ...block });
  const look = await new SystemdRunner({ lives }).look([held()]);
  return look.ok ? look.seen.get(confd) : look;
}

describe('a unit', () => {
  it('is told to start and to stop, and nobody waits for it', async () => {
    says({ User: 'motr', DynamicUser: 'no' });
    const runner = new SystemdRunner({ lives });
    expect(await runner.start(aDesired())).toEqual({ ok: true });
    expect(await runner.stop(held())).toEqual({ ok: true });
    const unit = 'm0d@0x7200000000000001:0x1.service';
    // Whether and when it is killed is said by the unit.
    expect(await runner.kill()).toMatchObject({ ok: false });
    expect(calls()).toEqual([`show --property=User,DynamicUser -- ${unit}`, `start --no-block -- ${unit}`, `stop --no-block -- ${unit}`]);
  });

  it.each([
    [{ User: 'motr', DynamicUser: 'no' }, [], true],
    [{ User: 'root', DynamicUser: 'no' }, [], true],
    [{ User: '', DynamicUser: 'yes' }, [], true],
    [{ User: '', DynamicUser: 'no' }, [], false],
    [{ User: '', DynamicUser: 'no' }, [{ user: 'root' }], true],
    [{ User: '', DynamicUser: 'no' }, [{ of: 'm0d', user: 'root' }], true],
    [{ User: '', DynamicUser: 'no' }, [{ of: 'm0t1fs', user: 'root' }], false],
    [{ User: '', DynamicUser: 'no' }, [{ user: 'root' }, { of: 'm0d', user: 'motr' }], false],
  ] as const)('that says %j, on a host that says %j, is started: %j', async (unit, serviceUser, isStarted) => {
    says(unit);
    const answer = await new SystemdRunner({ lives, serviceUser: [...serviceUser] }).start(aDesired());
    expect(answer.ok).toBe(isStarted);
    if (!answer.ok) expect(answer.why).toContain('would run as root: name one in the unit (User=), or set service-user = m0d=root');
    expect(calls().some((call) => call.startsWith('start'))).toBe(isStarted);
  });

  it('that cannot be started says why; a prefix that is no name is never said to anybody', async () => {
    says({ User: 'motr' });
    complains('Failed to start m0d@x.service: Unit not found.\nmore of it\n');
    const runner = new SystemdRunner({ lives });
    expect(await runner.start(aDesired())).toEqual({ ok: false, why: 'Failed to start m0d@x.service: Unit not found.' });
    complains('');
    for (const prefix of ['../etc/passwd', '-H root', '', 'a/b', 'ä'])
      expect(await runner.start(aDesired({ prefix }))).toMatchObject({
        ok: false,
        why: expect.stringContaining('cannot be part of the name'),
      });
    expect(calls()).toHaveLength(1);
  });

  it.each([
    [
      { ActiveState: 'active', MainPID: process.pid },
      { is: 'online', life: own },
    ],
    [
      { ActiveState: 'reloading', MainPID: process.pid },
      { is: 'online', life: own },
    ],
    [
      { ActiveState: 'activating', MainPID: process.pid },
      { is: 'starting', life: own },
    ],
    [{ ActiveState: 'activating', MainPID: 0 }, { is: 'starting' }],
    [
      { ActiveState: 'deactivating', MainPID: process.pid },
      { is: 'stopping', life: own },
    ],
    // A file system that was mounted has no process: it is held by its invocation.
    [
      { ActiveState: 'active', MainPID: 0, InvocationID: '5b1c' },
      { is: 'online', life: { pid: 1, born: 'unit.0123abcd.5b1c' } },
    ],
    [{ ActiveState: 'inactive', Job: 4711, MainPID: 0 }, { is: 'starting' }],
    [{ ActiveState: 'inactive', MainPID: 0, Result: 'success', ExecMainCode: 0, ExecMainStatus: 0 }, { is: 'absent' }],
    [
      { ActiveState: 'inactive', Result: 'success', ExecMainCode: 1, ExecMainStatus: 0 },
      { is: 'absent', exit: 0 },
    ],
    [
      { ActiveState: 'failed', Result: 'exit-code', ExecMainCode: 1, ExecMainStatus: 2 },
      { is: 'absent', exit: 2, why: 'exit-code, exit status 2' },
    ],
    [
      { ActiveState: 'failed', Result: 'oom-kill', ExecMainCode: 2, ExecMainStatus: 9 },
      { is: 'absent', exit: 137, why: 'oom-kill, exit status 137' },
    ],
    [{ ActiveState: 'inactive', LoadState: 'not-found' }, { is: 'absent' }],
  ])('that says %j is %j', async (said, is) => {
    expect(await found(said)).toEqual(is);
  });

  it('is looked at together with all others, by one call', async () => {
    says(
      { Id: 'm0d@0x7200000000000001:0x1.service', ActiveState: 'active', MainPID: process.pid },
      { Id: 'm0d@0x7200000000000001:0x2.service', ActiveState: 'inactive' },
    );
    const look = await new SystemdRunner({ lives }).look([held(), held({ process: ios })]);
    expect(look).toEqual({
      ok: true,
      seen: new Map([
        [confd, { is: 'online', life: own }],
        [ios, { is: 'absent' }],
      ]),
    });
    expect(calls()).toHaveLength(1);
  });

  it('of an application is not asked while the pid that its launcher named lives', async () => {
    const watched = held({ unmanaged: true, life: own });
    expect(await new SystemdRunner({ lives }).look([watched])).toEqual({ ok: true, seen: new Map([[confd, { is: 'online', life: own }]]) });
    expect(calls()).toEqual(['']);
  });

  it('cannot be seen where systemd does not answer', async () => {
    complains('System has not been booted with systemd as init system (PID 1). Can’t operate.\n');
    expect(await new SystemdRunner({ lives }).look([held()])).toEqual({
      ok: false,
      why: expect.stringContaining('not been booted with systemd'),
    });
  });
});
