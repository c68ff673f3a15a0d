import { describe, expect, it } from 'vitest';
import { type Config, configOf, faultNames } from './config.ts';
import { gatewayFaults } from './gateway/config.ts';
import { shrunk, smaller, triesMax } from './shrink.ts';

/** A history of everything: every kind of fault of a deployment, and many of all who take part. */
const everything: Config = {
  seed: 7,
  shape: 'aws',
  faults: Object.fromEntries(faultNames.filter((kind) => !(kind in gatewayFaults)).map((kind) => [kind, 0.1])),
  nodes: 6,
  clients: 24,
  admins: 2,
  automation: true,
  slots: 4096,
  metadata: true,
  zones: 3,
  faultMs: 2_700_000,
};
const nothing: Config = {
  seed: 7,
  shape: 'embedded',
  faults: {},
  nodes: 1,
  clients: 0,
  admins: 0,
  automation: false,
  slots: 1024,
  metadata: false,
  zones: 1,
  faultMs: 30_000,
};

describe('a failing configuration', () => {
  it('shrinks to what its failure needs', async () => {
    const { config } = await shrunk(
      everything,
      async ({ faults, nodes, slots }) => faults.crash !== undefined && nodes >= 2 && slots === 4096,
    );
    expect(config).toEqual({ ...nothing, faults: { crash: 0.1 }, nodes: 2, slots: 4096 });
  });

  it('shrinks to nothing when it always fails, and stays when nothing can go', async () => {
    expect((await shrunk(everything, async () => true)).config).toEqual(nothing);
    expect((await shrunk(everything, async () => false)).config).toEqual(everything);
    expect(await shrunk(nothing, async () => true)).toEqual({ config: nothing, tries: 0 });
  });

  it('is tried a bounded number of times, never twice with the same configuration', async () => {
    const asked: string[] = [];
    const { tries } = await shrunk(everything, async (candidate) => {
      asked.push(JSON.stringify(candidate));
      return Object.keys(candidate.faults).length >= 18;
    });
    expect(tries).toBe(asked.length);
    expect(tries).toBeLessThanOrEqual(triesMax);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('is not tried any more once there is no time', async () => {
    let asked = 0;
    await shrunk(
      everything,
      async () => ++asked > 0,
      () => asked === 3,
    );
    expect(asked).toBe(3);
  });

  it('has only smaller ones below it', () => {
    const size = (config: Config): number =>
      Object.keys(config.faults).length * 1e6 +
      config.nodes +
      config.clients +
      config.admins +
      Object.values(config).filter((part) => part === true).length +
      (config.pinnedAtOnce ?? 1) +
      (config.stations ?? 0) +
      (config.zones ?? 1) +
      config.slots +
      config.faultMs +
      Number(config.shape === 'aws');
    // The newest parts are in no seed below the latter.
    for (const seed of Array.from({ length: 200 }, (_, n) => (n < 100 ? n + 1 : 9_100_000 + n))) {
      const config = configOf(seed);
      for (const candidate of smaller(config)) expect(size(candidate), JSON.stringify({ config, candidate })).toBeLessThan(size(config));
    }
  });
});

describe('each part of a configuration that is there or not', () => {
  it('can go', () => {
    const parts = new Set(Array.from({ length: 400 }, (_, n) => configOf(9_100_000 + n)).flatMap(partsOf));
    // By whom heartbeats are decided is no part of a world: neither way is less than the other.
    parts.delete('hearsAtOnce');
    const left = [...parts].filter((part) => ![...smaller({ ...everything, [part]: true })].some((one) => !partsOf(one).includes(part)));
    expect(left).toEqual([]);
  });
});

/** What of a configuration is said to be there. */
const partsOf = (config: Config): string[] => Object.entries(config).flatMap(([part, is]) => (is === true ? [part] : []));
