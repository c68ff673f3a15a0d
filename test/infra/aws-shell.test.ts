import { describe, expect, it, vi } from 'vitest';
import type { Table } from '../../lib/ports/table/table.ts';
import { awsShell } from '../../lib/runtime/aws-shell.ts';
import { LambdaEnv, lambdaCredentials } from '../../lib/runtime/env.ts';
import { usualRates } from '../../lib/runtime/rates.ts';

const table = { meter: {} } as Table;
const env = LambdaEnv.parse({
  MUSTER_DEPLOYMENT: 'Test',
  MUSTER_TABLE: 'test',
  MUSTER_BEAT_MIN_MS: '1000',
  MUSTER_SWEEP_PERIOD_MS: '5000',
  MUSTER_RECEIVES_MAX: '3',
});

describe('the shell of a Lambda environment', () => {
  it('has the settings that the stacks gave', () => {
    const { settings } = awsShell({ table: () => table }, env);
    expect(settings).toEqual({
      deployment: 'Test',
      beatMinMs: 1_000,
      hearsAtOnce: false,
      staysDueMs: 45_000,
      indexesUnasked: true,
      admitEveryMs: 15_000,
      zoneMaxAgeMs: 5_000,
      countEveryMs: 600_000,
      sweepPeriodMs: 5_000,
      receivesMax: 3,
      rates: usualRates,
    });
  });
  it('has heartbeats decided by the door that takes them where the deployment says so', () => {
    const direct = LambdaEnv.parse({ ...process.env, MUSTER_DEPLOYMENT: 'Test', MUSTER_TABLE: 'test', MUSTER_HEARTBEATS: 'direct' });
    expect(awsShell({ table: () => table }, direct).settings.hearsAtOnce).toBe(true);
  });
  it('says which entry of the wiring is missing when a function does what it is not wired to do', async () => {
    const shell = awsShell({ table: () => table }, env);
    await expect(shell.queue.send('reports', '{}')).rejects.toThrow('may not send to a queue: its entry in the wiring has no `sends`');
    await expect(shell.bus.publish([])).rejects.toThrow('has no `publishes`');
    await expect(shell.keys.current()).rejects.toThrow('has no `signs`');
  });
  it('hands its adapters what they were told', () => {
    const shell = awsShell({ table: ({ MUSTER_TABLE }) => ({ ...table, name: MUSTER_TABLE }) as Table }, env);
    expect(shell.table).toMatchObject({ name: 'test' });
  });
  it('needs to be told of its deployment and table', () => {
    expect(() => LambdaEnv.parse({})).toThrow(/MUSTER_DEPLOYMENT[\s\S]*MUSTER_TABLE/);
  });
});

describe('the credentials of a Lambda environment', () => {
  it('are those of its role', () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key').stubEnv('AWS_SECRET_ACCESS_KEY', 'secret').stubEnv('AWS_SESSION_TOKEN', 'token');
    expect(lambdaCredentials()).toEqual({ accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' });
    vi.unstubAllEnvs();
  });
});
