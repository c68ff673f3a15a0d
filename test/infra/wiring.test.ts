import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reported } from '../../events/catalogue.ts';
import { classes, reserved, routesFor, throttle, throttles } from '../../infra/throttles.ts';
import { type FunctionWiring, type QueueWiring, wiring } from '../../infra/wiring.ts';
import { contract } from '../../lib/contract.ts';
import { DeadLetterView } from '../../lib/dead-letters/routes.ts';

describe('the wiring', () => {
  it('names every file in functions/ and nothing else', () => {
    const files = readdirSync(join(import.meta.dirname, '../../functions')).map((file) => file.replace(/\.ts$/, ''));
    expect(files.toSorted()).toEqual(Object.keys(wiring.functions).toSorted());
  });
  it('leads every call of the contract to one function', () => {
    // The page is for browsers, and no part of the contract.
    const wired = Object.values<FunctionWiring<string>>(wiring.functions).flatMap(({ routes = [], pages }) =>
      pages ? [] : routes.map(String),
    );
    const below = ['/api/v1/', '/session/'];
    const called = Object.values(contract).map(({ method, path }) => {
      if (wired.includes(`${method} ${path}`)) return `${method} ${path}`;
      const all = below.find((beginning) => path.startsWith(beginning));
      return all ? `ANY ${all}{proxy+}` : path === '/session' ? `ANY ${path}` : `${method} ${path}`;
    });
    expect([...new Set(called)].sort()).toEqual([...wired].sort());
  });
  it('carries every report type on exactly one queue', () => {
    expect(
      Object.values(wiring.queues)
        .flatMap(({ carries }) => carries)
        .toSorted(),
    ).toEqual(Object.keys(reported).toSorted());
  });
  it('takes from the bus only what the same queue carries', () => {
    for (const { carries, fromBus = [] } of Object.values(wiring.queues)) expect(carries).toEqual(expect.arrayContaining([...fromBus]));
  });
  it('lets dead letters be given back to every queue that has any, and to the bus', () => {
    const reporting = Object.entries<QueueWiring>(wiring.queues).flatMap(([name, { carries, hears }]) =>
      carries.length > 0 || hears ? [name] : [],
    );
    expect(wiring.functions['admin']).toMatchObject({ sends: reporting, publishes: true });
    expect(DeadLetterView.shape.queue.options).toEqual([...reporting, 'feed']);
  });
  it('has one consumer for every queue', () => {
    const consumed = Object.values(wiring.functions).flatMap(({ queue }) => queue ?? []);
    expect(consumed.toSorted()).toEqual(Object.keys(wiring.queues).toSorted());
  });
  it('says of every route how many calls it lets through, and all together leave room for others', () => {
    const routes = Object.values<FunctionWiring<string>>(wiring.functions).flatMap(({ routes = [] }) => routes.flatMap(routesFor));
    expect(Object.keys(classes).toSorted()).toEqual(routes.toSorted());
    const limits = Object.values(classes).map((found) => throttles[found]);
    const sum = (of: 'rateLimit' | 'burstLimit') => limits.reduce((all, limit) => all + limit[of], 0);
    expect(sum('rateLimit')).toBeLessThanOrEqual(throttle.rateLimit);
    expect(sum('burstLimit')).toBeLessThanOrEqual(throttle.burstLimit);
    for (const { rateLimit, burstLimit } of limits) expect([rateLimit, burstLimit].every((limit) => limit > 0)).toBe(true);
  });
  it('reserves for consumers what their mappings run at once at the least', () => {
    for (const [name, atOnce] of Object.entries(reserved)) {
      const { queue, concurrencyMax } = (wiring.functions as Readonly<Record<string, FunctionWiring<string>>>)[name]!;
      if (queue) expect(atOnce).toBeGreaterThanOrEqual(concurrencyMax!);
    }
  });
});
