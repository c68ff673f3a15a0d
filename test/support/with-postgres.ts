import { describe } from 'vitest';
import { postgresMissing } from '../../tools/support/uyuni/postgres/programs.ts';

const missing = await postgresMissing();
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(`CI must not leave out the tests of a Uyuni server: ${missing}`);

/**
 * Describes what needs a PostgreSQL. Where the platform has none, its tests are skipped, and the name says why; with
 * `CI=true` the file fails.
 */
export const describeWithPostgres = (name: string, tests: () => void): void => {
  describe.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (skipped: ${missing})`, tests);
};
