import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../programs/cli/running.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

/*
 * A site is brought up from one place: a program in the place of ssh starts an agent on this machine for each host,
 * with what it was handed alone. Nobody is let in without a token.
 */

const agent = fileURLToPath(new URL('../../programs/agent/main.ts', import.meta.url));
const hosts = ['ts1.acme.org', 'ts2.acme.org', 'ssu1.acme.org'];

let host: TestHost;
let place: string;
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300, admits: 'nobody' });
  place = mkdtempSync(join(tmpdir(), 'muster-bootstrap-'));
  const ports = await freePorts(hosts.length);
  const cases = hosts.map((one, n) => `${one}) port=${ports[n]} ;;`).join(' ');
  const started = `"${process.execPath}" "${agent}" --home "$home" --fqdn "$1" --endpoint "$2" --zone "$3" --kind "$4" --processes off --watch "127.0.0.1:$port"`;
  writeFileSync(
    join(place, 'start'),
    `#!/bin/sh\nset -e\ncase $1 in ${cases} *) echo "no route to $1" >&2; exit 255 ;; esac
home="${place}/$1"; mkdir -p "$home"; cat > "$home/token"
${started} > "$home.log" 2>&1 < /dev/null &\necho $! > "$home.pid"\n`,
  );
  chmodSync(join(place, 'start'), 0o755);
  writeFileSync(join(place, 'genders'), 'ts[1-2].acme.org tracking_station\nssu1.acme.org,gone.acme.org ssu\n');
});
afterEach(async () => {
  for (const one of hosts) {
    const file = join(place, `${one}.pid`);
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  }
  await host.stop();
  rmSync(place, { recursive: true });
});

const muster = (line: string, ...words: readonly string[]) =>
  ran([...line.split(' '), ...words], {
    env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator },
    read: (path) => readFileSync(join(place, path), 'utf8'),
    run: (command, given) => runProgram(command, given, (ms) => sleep(ms)),
    sleep: (ms) => sleep(ms),
    now: () => Date.now(),
  });
const ssh = () => ['--ssh', `${join(place, 'start')} {host} {endpoint} {zone} {kind}`];

describe('a site that is brought up from one place', () => {
  it('has its stations named and started, then its hosts, with a token for each, and again nothing is done', async () => {
    await muster('zone create lab --kind storage');
    const named = 'halon station --zone lab --hosts-from genders --attribute tracking_station';
    expect(await muster(named, ...ssh())).toMatchObject({
      code: 0,
      out: 'ts1.acme.org: it has called in\nts2.acme.org: it has called in\n',
    });
    const added = await muster('halon node add --zone lab --hosts-from genders --attribute ssu', ...ssh());
    expect(added).toMatchObject({
      code: 1,
      out: 'ssu1.acme.org: it has called in\ngone.acme.org failed to start: exit code 255\n',
      err: expect.stringContaining('gone.acme.org: no route to gone.acme.org\n'),
    });
    const isLed = async () => (await muster('halon station --zone lab')).out.includes('acme.org coordinates, epoch');
    await eventually('one of the stations coordinates', isLed);

    const again = await muster(named, ...ssh());
    expect(again).toMatchObject({ code: 0, out: 'ts1.acme.org: it is a node already\nts2.acme.org: it is a node already\n' });
    expect(again.err).toBe('they are in the group already\n');
    const { out } = await muster('node token list --json');
    const tokens = JSON.parse(out) as { nodes: string; uses: number; status: string; admitted: object[] }[];
    expect(tokens.map(({ nodes, uses, admitted }) => `${nodes} ${uses} ${admitted.length}`).sort()).toEqual([
      ...['gone.acme.org 1 0', 'ssu1.acme.org 1 1', 'ts1.acme.org 1 1', 'ts2.acme.org 1 1'],
    ]);
  }, 60_000);

  it('has an agent that writes traces while it is told so, also after it was started again', async () => {
    await muster('zone create lab --kind storage');
    await muster('halon node add --zone lab ssu1.acme.org', ...ssh());
    const log = () => readFileSync(join(place, 'ssu1.acme.org.log'), 'utf8');
    expect(await muster('halon node enable-traces ssu1.acme.org -s http')).toMatchObject({ code: 0 });
    await eventually('a call is traced', async () => /trace http: POST \S+\/heartbeat → 200/.test(log()));
    process.kill(Number(readFileSync(join(place, 'ssu1.acme.org.pid'), 'utf8')), 'SIGKILL');
    const restarted = await runProgram(
      [join(place, 'start'), 'ssu1.acme.org', host.url, 'lab', 'storage'],
      { input: '', timeoutMs: 10_000 },
      (ms) => sleep(ms),
    );
    expect(restarted.ok).toBe(true);
    await eventually('it goes on', async () => /^muster-agent: traces are on: http\n[\s\S]*trace http: POST \S+\/up/.test(log()));
    await muster('halon node disable-traces ssu1.acme.org -s http');
    await eventually('it ends', async () => log().includes('traces are off'));
  }, 60_000);
});
