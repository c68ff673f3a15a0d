import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildGo, findGo } from '../../packaging/client/go.ts';
import { targetOf } from '../../packaging/client/targets.ts';
import type { Figure } from '../report/figure.ts';
import { program } from '../report/program.ts';
import { median, spread } from '../rounds.ts';

/** A daemon is on every machine of a fleet, on the smallest too, and must not be felt there. */
const targets = { mb: { atMost: 9 }, residentMb: { atMost: 12 }, startMs: { atMost: 20 }, callMs: { atMost: 10 }, wakes: { atMost: 1 } };
const starts = 9;
const calls = 100;
const restMs = 120_000;
const lookMs = 250;
/** The unit of times in /proc/PID/stat: 100 a second on every processor that Linux knows. */
const tickMs = 10;

type Daemon = { readonly is: string; readonly file: string; readonly words: readonly string[] };
type Measured = { readonly startMs: number[]; readonly callMs: number; readonly residentMb: number; readonly wakes: number };

/** A Muster that has every machine wait for an hour, and tells when one has knocked. */
async function aWaitingRoom() {
  const knocks = new EventEmitter();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'muster-next': '3600', connection: 'close' }).end('0');
      knocks.emit('knock');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { knocks, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const statusOf = (path: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'utf8'))![1]);

/** Processor time of a process so far, in ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** How often the threads of a process have gone to sleep so far, and been woken. */
const switchesOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + statusOf(`/proc/${pid}/task/${task}/status`, 'voluntary_ctxt_switches'), 0);

/**
 * How often a process is woken while it rests: moments of a quarter of a second in which any of its threads ran. One
 * wake-up has several switches of threads.
 */
async function wakesOf(pid: number): Promise<number> {
  let before = switchesOf(pid);
  let wakes = 0;
  for (let waitedMs = 0; waitedMs < restMs; waitedMs += lookMs) {
    await pause(lookMs);
    const now = switchesOf(pid);
    if (now !== before) wakes += 1;
    before = now;
  }
  return (wakes * 60_000) / restMs;
}

async function measuredOf({ is, file, words }: Daemon, folder: string): Promise<Measured> {
  const { knocks, url, close } = await aWaitingRoom();
  const own = ['--endpoint', url, '--fqdn', 'web1.acme.test', '--machine-id', 'machine-1', '--home', join(folder, is)];
  const start = (): ChildProcess => spawn(file, [...words, ...own], { stdio: 'ignore' });
  const startMs: number[] = [];
  // The first start makes the key, and brings the files into memory.
  for (let round = -1; round < starts; round++) {
    const began = performance.now();
    const child = start();
    await once(knocks, 'knock');
    if (round >= 0) startMs.push(performance.now() - began);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const child = start();
  const pid = child.pid!;
  await once(knocks, 'knock');
  const before = cpuMs(pid);
  for (let n = 0; n < calls; n++) {
    child.kill('SIGHUP');
    await once(knocks, 'knock');
    // The daemon is to have read the answer: a knock that is asked for meanwhile is made at once after it.
    await pause(20);
  }
  const callMs = (cpuMs(pid) - before) / calls;
  await pause(restMs / 12);
  const wakes = await wakesOf(pid);
  const measured = { startMs, callMs, residentMb: (statusOf(`/proc/${pid}/status`, 'VmRSS') * 1024) / 1e6, wakes };
  child.kill('SIGKILL');
  close();
  return measured;
}

const shown = (ms: readonly number[]): string => spread(ms, (one) => one.toFixed(0));

await program(async (folder) => {
  const file = buildGo(findGo(), { program: 'muster-client', target: targetOf(process)!, out: folder });
  const model = join(import.meta.dirname, '../../../programs/client/main.ts');
  const go = await measuredOf({ is: 'go', file, words: [] }, folder);
  const node = await measuredOf({ is: 'model', file: process.execPath, words: [model] }, folder);
  const figures: Figure[] = [
    { what: 'the executable in Go', measured: statSync(file).size / 1e6, unit: 'MB', target: targets.mb },
    { what: 'peer: Node, without the model', measured: statSync(process.execPath).size / 1e6, unit: 'MB' },
    { what: 'resident at rest', measured: go.residentMb, unit: 'MB', target: targets.residentMb, note: `after ${calls} knocks` },
    { what: 'peer: the model', measured: node.residentMb, unit: 'MB' },
    { what: 'from its start until it knocks', measured: median(go.startMs), unit: 'ms', target: targets.startMs, note: shown(go.startMs) },
    { what: 'peer: the model', measured: median(node.startMs), unit: 'ms', note: shown(node.startMs) },
    {
      what: 'processor time of a knock',
      measured: go.callMs,
      unit: 'ms',
      target: targets.callMs,
      note: `by SIGHUP, without TLS, mean of ${calls}`,
    },
    { what: 'peer: the model', measured: node.callMs, unit: 'ms' },
    {
      what: 'woken a minute at rest',
      measured: go.wakes,
      unit: '',
      target: targets.wakes,
      note: 'moments in which a thread ran, over two minutes; with no node to watch',
    },
    { what: 'peer: the model', measured: node.wakes, unit: '' },
  ];
  return figures;
});
