import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
/** Lines of prose are read in a terminal, in a diff, beside each other. */
const columnsMax = 120;
const standsAlone = (word: string): RegExp => new RegExp(`(?<![-\\w.'\`])${word}(?![-\\w.'\`])`, 'i');
/** Words that were replaced, and by what (docs/glossary.md); names in code and of invariants keep theirs. */
const replaced: readonly (readonly [was: RegExp, is: string])[] = [[standsAlone('weather'), 'a transient failure']];
/** Words that comments of the product no longer use; what a test or a page tells may still have them. */
const replacedInProduct: readonly (readonly [was: RegExp, is: string])[] = [
  [standsAlone('doors?'), 'an endpoint or a handler'],
  [standsAlone('told'), 'notified or assigned'],
  [standsAlone('said'), 'reported'],
  [standsAlone('whoever'), 'a subject that is a person or a thing'],
  [standsAlone('beats?'), 'a heartbeat'],
];
const isProduct = /^(lib|functions|programs|events|infra|tools)\/.*\.ts:/;
/** What is written by a program, recorded, or frozen as it was. */
const leftOut = /^test\/(golden|previous)\/|\/golden\/|^docs\/decisions\/|^CHANGELOG\.md$/;

type Line = { readonly at: string; readonly text: string };

/** Whether another line could be begun earlier: code, links and addresses stand whole. */
const isTooLong = (text: string): boolean => {
  if (text.length <= columnsMax) return false;
  const words = text.trim().match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\{@[^}]*\}|\S)+/g) ?? [];
  return words.filter((word) => !/^([-*/]+|\d+\.)$/.test(word)).length > 1;
};

/** The lines of comments of a source file, but for tables that are drawn in them. */
const comments = (path: string, text: string): Line[] =>
  text.split('\n').flatMap((line, n) => (/^\s*(\/\*\*?|\*(?! \|)|\/\/) /.test(line) ? [{ at: `${path}:${n + 1}`, text: line }] : []));

/** The lines of prose of a page: no tables, no code, no headings. */
function prose(path: string, text: string): Line[] {
  let isCode = false;
  return text.split('\n').flatMap((line, n) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isCode || isFence || /^\s*([|<#]|$)/.test(line) ? [] : [{ at: `${path}:${n + 1}`, text: line }];
  });
}

/** Every line of prose in the project, comments among it. Pages that are made from code say so at their head. */
function lines(): Line[] {
  const listed = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.md'], { cwd: root, encoding: 'utf8' }).split('\n');
  return listed
    .filter((path) => path !== '' && !leftOut.test(path) && existsSync(join(root, path)))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      if (!path.endsWith('.md')) return comments(path, text);
      return /^<!-- Made /.test(text) ? [] : prose(path, text);
    });
}

describe('prose and comments', () => {
  const all = lines();

  it(`have at most ${columnsMax} columns`, () => {
    expect(all.length).toBeGreaterThan(10_000);
    expect(all.filter(({ text }) => isTooLong(text)).map(({ at }) => at)).toEqual([]);
  });

  it('use the words that replaced others', () => {
    const found = all.flatMap(({ at, text }) =>
      [...replaced, ...(isProduct.test(at) ? replacedInProduct : [])].flatMap(([was, is]) =>
        was.test(text) ? [`${at} says ${is} otherwise`] : [],
      ),
    );
    expect(found).toEqual([]);
  });

  it('are found out by a word that was replaced, and not by a name', () => {
    const door = standsAlone('doors?');
    expect(['A door of a node.', 'Doors are many.', 'both doors'].map((text) => door.test(text))).toEqual([true, true, true]);
    expect(['`door.refused` in the log', 'the function status-door', 'outdoors'].map((text) => door.test(text))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('are seen as such', () => {
    expect(comments('a.ts', '/** A word. */\nconst a = 1; // no\n  // Yes.\n * | a table |')).toHaveLength(2);
    expect(prose('a.md', '# Head\nText.\n```\ncode\n```\n| a | table |')).toEqual([{ at: 'a.md:2', text: 'Text.' }]);
    expect(isTooLong(`${'word '.repeat(30)}`)).toBe(true);
    expect(isTooLong(`- \`${'x'.repeat(130)}\``)).toBe(false);
  });
});
