import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(import.meta.dirname, '../../../docs');
const scripts = join(docs, '../test/scenario');
const page = readFileSync(join(docs, 'scenarios.md'), 'utf8');

/** The stories of the table: their numbers, and what shows each. */
const stories = [...page.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \|$/gm)].map(([, n, shownBy]) => ({ n: Number(n), shownBy: shownBy! }));
/** What is linked to, with the title of a test where one is quoted. */
const linked = [...page.matchAll(/\]\(([^)]+)\)(?: “([^”]+)”)?/g)].map(([, path, title]) => ({ path: path!, title }));
/** What shows a story that is yet to come. */
const later = ['with the coordinator as a service', 'with supervisors'];

describe('the page of scenarios', () => {
  it('has the 48 stories in their order, and something that shows each', () => {
    expect(stories.map(({ n }) => n)).toEqual(Array.from({ length: 48 }, (_, index) => index + 1));
    const bare = stories.filter(({ shownBy }) => !later.includes(shownBy) && !shownBy.includes(']('));
    expect(bare).toEqual([]);
  });

  it('leads to scripts that are recorded, and to tests that are there', () => {
    const wrong = linked.filter(({ path, title }) => {
      const file = join(docs, path);
      if (!existsSync(file)) return true;
      if (path.endsWith('.txt')) return !existsSync(file.replace(/\.txt$/, '.out'));
      return title !== undefined && !readFileSync(file, 'utf8').includes(title);
    });
    expect(wrong).toEqual([]);
    expect(linked.filter(({ path }) => path.endsWith('.test.ts') && !linked.some((one) => one.path === path && one.title))).toEqual([]);
  });

  it('names no script that was never recorded', () => {
    const files = readdirSync(scripts);
    expect(files.filter((file) => file.endsWith('.out') && !files.includes(file.replace(/\.out$/, '.txt')))).toEqual([]);
  });
});
