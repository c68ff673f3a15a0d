import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ran } from '../../../../../lib/machine/command.ts';
import { jobBySalt, knockBy, type Minions } from '../../../../../programs/agent/salt/knock.ts';

const nameOf = (n: number): string => n.toString(16).padStart(64, '0');
const someMinions = (count: number, isWhole = true): Minions => ({
  ids: new Map(Array.from({ length: count }, (_, n) => [nameOf(n), `web${n}`])),
  isWhole,
});
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => nameOf(n));

let jobs: (readonly string[])[];
let answer: () => Ran;
let pauses: number;
let known: Minions | undefined;
beforeEach(() => {
  [jobs, pauses, known] = [[], 0, undefined];
  answer = () => ({ ok: true });
});
const knock = (whenPaused = (): void => undefined) =>
  knockBy(
    () => known,
    async (ids) => {
      jobs.push(ids);
      return answer();
    },
    async () => {
      pauses += 1;
      whenPaused();
    },
  );

describe('client systems that must knock', () => {
  it('are reached by their minions, four hundred in a job', async () => {
    known = someMinions(1_000);
    expect(await knock()(names(900))).toEqual({ ok: true });
    expect(jobs.map(({ length }) => length)).toEqual([400, 400, 100]);
    expect(jobs[2]!.at(-1)).toBe('web899');
  });

  it('are left alone when they have no minion here', async () => {
    known = someMinions(2);
    expect(await knock()(names(4))).toEqual({ ok: true });
    expect([jobs, pauses]).toEqual([[['web0', 'web1']], 0]);
  });

  // An agent that has just started does not know its minions; an order that was carried out is not repeated.
  it('are not forgotten by a drain that begins before the agent knows its minions', async () => {
    const grows = [undefined, someMinions(0, false), someMinions(2, false), someMinions(3)];
    const hook = knock(() => {
      known = grows[pauses];
    });
    expect(await hook(names(3))).toEqual({ ok: true });
    expect([jobs, pauses]).toEqual([[['web0', 'web1'], ['web2']], 3]);
  });

  it('are tried again by the agent when their minions do not become known', async () => {
    known = someMinions(1, false);
    expect(await knock()(names(3))).toEqual({ ok: false, why: 'the minions of 2 client systems are not known yet' });
    expect([jobs, pauses]).toEqual([[['web0']], 24]);
  });

  it('are tried again by the agent when a job cannot be sent', async () => {
    known = someMinions(900);
    answer = () => ({ ok: false, why: 'exit code 2' });
    expect(await knock()(names(900))).toEqual({ ok: false, why: 'exit code 2' });
    expect(jobs.length).toBe(1);
  });
});

describe('a job', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-job-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is sent by salt to a list of ids, and is not waited for; the command is one argument', async () => {
    const program = join(folder, 'salt');
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/called'\n`);
    chmodSync(program, 0o755);
    expect(await jobBySalt(`${program} -c /etc/salt`, 'kill -HUP 1; true')(['web1', 'web2'])).toEqual({ ok: true });
    expect(readFileSync(join(folder, 'called'), 'utf8').split('\n')).toEqual([
      ...['-c', '/etc/salt', '--async', '--list', 'web1,web2', 'cmd.run_bg', 'kill -HUP 1; true', ''],
    ]);
  });
});
