import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { placesOf } from '../../../../programs/cli/completion/words.ts';
import { programOn } from '../../../../programs/cli/program.ts';
import { ran } from './a-terminal.ts';

/** What bash offers for the last of these words, by the generated script. */
async function offered(...words: string[]): Promise<string[]> {
  const { out: script } = await ran('completion bash');
  const ask = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

describe('completion in bash', () => {
  it.each([
    [
      ['muster', ''],
      [
        'status',
        'explain',
        'history',
        'events',
        'graph',
        'node',
        'system',
        'onboarding',
        'zone',
        'mero',
        'halon',
        'facts',
        'service',
        'dlq',
        'webhook',
        'login',
        'logout',
        'whoami',
        'key',
        'subject',
        'audit',
        'settings',
        'keys',
        'cost',
        'loadtest',
        'export',
        'import',
        'context',
        'api',
        'version',
        'completion',
      ],
    ],
    [
      ['hctl', 'node', 'l'],
      ['list', 'leave'],
    ],
    [
      ['muster', 'node', 'leave', '--'],
      ['--hold', '--until', '--stay', '--help', '--version', '--endpoint', '--context', '--json', '--yes', '--insecure'],
    ],
    [
      ['muster', 'system', 'list', '--status', 'o'],
      ['onboarded', 'orphan'],
    ],
    [
      ['muster', 'explain', ''],
      ['node', 'system', 'client', 'zone', 'process', 'service', 'cluster', 'stations', 'site-orders'],
    ],
    [
      ['muster', 'dlq', ''],
      ['list', 'show', 'redrive', 'delete'],
    ],
    [
      ['muster', 'dlq', 'redrive', '--queue', ''],
      ['heartbeats', 'reports', 'webhooks', 'feed'],
    ],
    [['muster', '--endpoint', 'node', 'sys'], ['system']],
    [['muster', 'system', 'list', '--limit', ''], []],
    [['muster', 'facts', 'validate', './package-l'], ['./package-lock.json']],
    [['muster', 'facts', 'validate', '--halon'], ['--halon-roles']],
    [['muster', 'mero', 'load', '--file', './tsconf'], ['./tsconfig.json']],
    [['muster', 'mero', 'load', '-f', './tsconf'], ['./tsconfig.json']],
    [['muster', 'node', 'show', './tsconf'], []],
  ])('%j › offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});

describe('every completion script', () => {
  const terminal = {
    name: 'muster',
    out: () => {},
    err: () => {},
    ask: undefined,
    colours: { out: false, err: false },
    columns: undefined,
    rewrites: false,
    onInterrupt: () => () => undefined,
    read: async () => undefined,
    readOwn: () => undefined,
    open: () => undefined,
    run: async () => ({ ok: true as const, output: '' }),
    sleep: async () => undefined,
    env: {},
    now: () => 0,
  };

  it('in fish and zsh › has files where a file is named', async () => {
    const { out: fish } = await ran('completion fish');
    expect(fish).toMatch(/'__muster_at \\' facts validate\\'' -F$/m);
    expect(fish).toMatch(/'__muster_at \\' mero load\\'' -l file -d .* -r -F$/m);
    const { out: zsh } = await ran('completion zsh');
    expect(zsh).toMatch(/^ {4}\('facts validate'\) offered=.* files=yes ;;$/m);
    expect(zsh).toMatch(/^ {4}\('mero load -f'\) _files; return ;;$/m);
  });

  it.each(['bash', 'zsh', 'fish'])('for %s › knows every command of the tree and every option', async (shell) => {
    const { out, code } = await ran(`completion ${shell}`);
    expect(code).toBe(0);
    for (const { path, options } of placesOf(programOn(terminal))) {
      expect(out).toContain(path);
      for (const { name } of options) expect(out).toContain(shell === 'fish' ? `-l ${name.slice(2)} ` : name);
    }
  });
});
