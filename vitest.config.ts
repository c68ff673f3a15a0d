import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { builtGo } from './tools/packaging/client/go.ts';

/**
 * What takes a minute and more, the longest first; before all others two that mind no clock, since a deploy may still
 * be checked beside them.
 */
const longest = [
  'test/simulation/planted/planted.test.ts',
  'test/simulation/simulation.test.ts',
  'test/chaos/chaos.test.ts',
  'test/unit/zones/guardrails/guard-rails.test.ts',
  'test/chaos/status-load.test.ts',
  'test/e2e/demo-storage.test.ts',
  'test/e2e/demo-uyuni.test.ts',
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

/**
 * Tests that hold no state but their own, and load the same few modules: they share a process, one file after another.
 * Most of a file's time was its loading.
 */
const sharing = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/models/**/*.test.ts'];

/**
 * Tests that start the client daemon as a program. Where the one in Go is built (`npm run build:client`), they run a
 * second time with it, as a project of their own.
 */
const startingClient = [
  'test/e2e/attacks/state-folders.test.ts',
  'test/e2e/copied-identity.test.ts',
  'test/e2e/demo-programs.test.ts',
  'test/e2e/export.test.ts',
  'test/e2e/function-urls.test.ts',
  'test/e2e/salt.test.ts',
  'test/unit/programs/client/drivers/choose.test.ts',
];
const clientInGo = builtGo('muster-client');

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // One more than cores: most of what runs apart waits for programs and clocks. More than that only make each other's
    // bounds run out.
    maxWorkers: 3,
    // Tests start hundreds of programs, and most of what a short one computes is its own translation: Node keeps that
    // here, by the text of each module.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    // A guard against what hangs, far above what anything takes on two busy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: sharing } },
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
      ...(clientInGo === undefined
        ? []
        : [{ extends: true as const, test: { name: 'client-in-go', include: startingClient, env: { MUSTER_CLIENT_BINARY: clientInGo } } }]),
    ],
  },
});
