import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes a minute and more, the longest first; before all others two that mind no clock, since a deploy may still be checked beside them. */
const longest = [
  'test/simulation/planted/planted.test.ts',
  'test/simulation/simulation.test.ts',
  'test/chaos/chaos.test.ts',
  'test/unit/zones/guard-rails.test.ts',
  'test/chaos/status-load.test.ts',
  'test/e2e/demo-storage.test.ts',
  'test/e2e/demo-services.test.ts',
];

/** Begins with what takes longest, so that at the end nobody waits for one file on one core. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((path) => moduleId.endsWith(path));
      return place === -1 ? longest.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    sequence: { sequencer: LongestFirst },
    // Two cores: more workers than that only make each other's bounds run out.
    maxWorkers: 2,
    // A guard against what hangs, far above what anything takes on two busy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
