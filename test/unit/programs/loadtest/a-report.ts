import type { Latencies, Report, Second } from '../../../../programs/loadtest/report.ts';

/** Latencies of so many calls. */
export const someLatencies = (count: number): Latencies => ({ count, meanMs: 2, p50Ms: 1.5, p90Ms: 3, p99Ms: 9, p999Ms: 9, maxMs: 9.5 });

/** A second in which little happened. */
export const aSecond = (atS: number, more: Partial<Second> = {}): Second => ({
  atS,
  calls: { knock: 20, status: 4 },
  clientCalls: someLatencies(24),
  nodeCalls: someLatencies(0),
  errors: {},
  clients: { onboarded: 20, orphan: 2 },
  nodes: { up: 3 },
  silent: 0,
  waiting: 0,
  lateMs: 1,
  ...more,
});

/** What a run of three seconds came to. */
export const aReport = (more: Partial<Report> = {}): Report => ({
  version: 1,
  run: '0a1b2c3d',
  startedAt: '2026-05-01T12:00:00.000Z',
  endedAt: '2026-05-01T12:00:03.000Z',
  ended: 'time',
  muster: { endpoint: 'http://127.0.0.1:8080', deployment: 'local', version: '0.1.0' },
  machine: { node: 'v24.21.0', platform: 'linux x64', cpus: 2, memoryMib: 4096 },
  configuration: { nodes: 3, clients: 22, rate: 20, forMs: 3_000, zone: 'loadtest-0a1b2c3d', connections: 64, failures: [] },
  totals: {
    seconds: 3,
    calls: { knock: someLatencies(60), status: someLatencies(12) },
    errors: {},
    clients: { onboarded: 20, orphan: 2 },
    nodes: { up: 3 },
    waitingMax: 0,
    lateMaxMs: 1,
  },
  failures: [],
  seconds: [aSecond(1), aSecond(2), aSecond(3)],
  ...more,
});
