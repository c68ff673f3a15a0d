import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bugs } from '../../simulation/planted/bugs.ts';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/guard-rails.md', root), 'utf8');
const rules = page
  .slice(page.indexOf('## The rules'))
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
  .map(([number, rule, where, explain, test, bug]) => ({
    number: Number(number),
    rule: rule!,
    where: where!,
    explain: explain!,
    test: test!,
    bug: bug!,
  }));

/** What stands in a cell as code. */
const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
const names = new Set(bugs.map(({ name }) => name));

describe('each guard-rail of docs/guard-rails.md', () => {
  it('is there, all sixteen', () => {
    expect(rules.map(({ number }) => number)).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
  });

  it.each(rules)(
    '$number ($rule) names files that are there, what explain shows, its tests and its planted bugs',
    ({ where, explain, test, bug }) => {
      const files = quoted(where).filter((text) => text.includes('/'));
      const tests = quoted(test);

      expect(files.length).toBeGreaterThan(0);
      expect(explain).not.toBe('');
      expect(tests.length).toBeGreaterThan(0);
      expect([...files, ...tests].filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
      expect(tests.filter((path) => !path.endsWith('.test.ts'))).toEqual([]);
      expect(quoted(bug).length).toBeGreaterThan(0);
      expect(quoted(bug).filter((name) => !names.has(name))).toEqual([]);
    },
  );
});
