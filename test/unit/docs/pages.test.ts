import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdownIn('docs')];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
}

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
/** The anchors of a page's headings, as a forge makes them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = textOf(page);
  const prose = text.replaceAll(/^```.*?^```/gms, '');

  it('links to pages and headings that are there', () => {
    const broken = [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g)].filter(([, path, anchor]) => {
      const target = path === '' ? page : relative(root, join(root, dirname(page), path!));
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names scripts, programs and files that are there', () => {
    const scripts = [...text.matchAll(/\bnpm run (?:-s |--silent )?([a-z:-]+)/g)].map(([, script]) => script!);
    const programs = [...text.matchAll(/\bnpx (muster[a-z-]*|halonctl|hctl)\b/g)].map(([, program]) => program!);
    const files = [...prose.matchAll(/`((?:programs|tools|docs|events|functions|infra|lib|test|bin)\/[\w./-]*)`/g)].map(
      ([, file]) => file!,
    );
    expect({
      scripts: scripts.filter((script) => !(script in packageJson.scripts)),
      programs: programs.filter((program) => !(program in packageJson.bin)),
      files: files.filter((file) => !existsSync(join(root, file))),
    }).toEqual({ scripts: [], programs: [], files: [] });
  });

  it('shows files as they are', () => {
    const shown = [...text.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)^```/gms)];
    for (const [, file, content] of shown) expect(content).toBe(readFileSync(join(root, dirname(page), file!), 'utf8'));
  });
});
