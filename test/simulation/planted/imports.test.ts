import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importsIn, reaching } from './imports.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-imports-'));
afterAll(() => rmSync(root, { recursive: true }));

const files: Readonly<Record<string, string>> = {
  'programs/agent/agent.ts': "import { b } from '../../lib/b.ts';",
  'programs/cli/cli.ts': '',
  'programs/client/client.ts': "import * as z from 'zod';",
  'events/events.ts': '',
  'functions/one.ts': "export { a } from '../lib/a.ts';",
  'functions/two.ts': "import '../lib/b.ts';",
  'infra/wiring.ts': '',
  'lib/a.ts': "import type { E } from '../events/events.ts';\nexport const a = 1;",
  'lib/b.ts': 'export const b = 2;',
  'programs/local/functions.ts': 'const load = (name: string) => import(`../../functions/$' + '{name}.ts`);',
  'tools/support/shell.ts': "import { b } from '../../lib/b.ts';",
  'test/world.ts': "import { load } from '../programs/local/functions.ts';\nconst later = () => import('../lib/b.ts');",
};
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('the files that see a change', () => {
  const imports = importsIn(root);
  const seeing = (...changed: string[]): string[] => [...reaching(imports, changed)].sort();

  it('are those that import it, by whatever way, themselves or through others', () => {
    expect(seeing('lib/a.ts')).toEqual(['functions/one.ts', 'lib/a.ts', 'programs/local/functions.ts', 'test/world.ts']);
    expect(seeing('lib/b.ts')).toEqual([
      'functions/two.ts',
      'lib/b.ts',
      'programs/agent/agent.ts',
      'programs/local/functions.ts',
      'test/world.ts',
      'tools/support/shell.ts',
    ]);
    expect(seeing('events/events.ts')).toContain('functions/one.ts');
  });

  it('are no others', () => {
    expect(seeing('programs/client/client.ts')).toEqual(['programs/client/client.ts']);
    expect(seeing('lib/a.ts', 'programs/cli/cli.ts')).not.toContain('programs/agent/agent.ts');
  });
});
