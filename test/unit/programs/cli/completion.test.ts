import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { placesOf, withLists } from '../../../../programs/cli/completion/words.ts';
import { programOn } from '../../../../programs/cli/program.ts';
import { ran } from './a-terminal.ts';

/** What bash offers for the last of these words, by the generated script, once `before` was run. */
async function offeredAfter(before: string, words: readonly string[]): Promise<string[]> {
  const { out: script } = await ran('completion bash');
  const ask = `${script}\n${before}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

const offered = (...words: string[]) => offeredAfter('', words);

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
  newKey: () => 'a key',
  env: {},
  now: () => 0,
};

describe('completion in bash', () => {
  it.each([
    [
      ['muster', ''],
      [
        'status',
        'find',
        'explain',
        'history',
        'events',
        'graph',
        'node',
        'system',
        'onboarding',
        'content',
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
      [
        '--dry-run',
        '--output',
        '--hold',
        '--until',
        '--stay',
        '--help',
        '--version',
        '--endpoint',
        '--context',
        '--json',
        '--yes',
        '--insecure',
      ],
    ],
    [
      ['muster', 'system', 'list', '--status', 'o'],
      ['onboarded', 'orphan'],
    ],
    [
      ['muster', 'key', 'create', 'ci', '--scope', ''],
      ['read', 'number', 'edit', 'operate', 'execute', 'admin', 'security', 'report'],
    ],
    [
      ['muster', 'explain', ''],
      ['node', 'system', 'client', 'zone', 'process', 'service', 'cluster', 'stations', 'site-orders', 'seat', 'content'],
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

describe('names of what exists', () => {
  it.each([
    [['node', 'show'], 'node list -o name'],
    [['node', 'show', '--context', 'prod'], 'node list -o name --context prod'],
    [['--endpoint', 'https://m.acme.org', '--insecure', 'zone', 'set'], 'zone list -o name --endpoint https://m.acme.org --insecure'],
    [['node', 'list', '--zone'], 'zone list -o name'],
    [['service', 'list', '-n'], 'node list -o name'],
    [['explain', 'node'], 'node list -o name'],
    [['history', 'stations'], 'zone list -o name'],
    [['context', 'use'], 'context list -o name'],
    [['webhook', 'replay'], 'webhook list -o name'],
    [['node', 'admit'], 'node pool -o name'],
    [['system', 'accept'], 'onboarding list -o name'],
  ])('after %j › are those of the list', async (words, asked) => {
    const before = `muster() { printf '%s\\n' "$*"; }`;
    expect(await offeredAfter(before, ['muster', ...words, ''])).toEqual([asked]);
  });

  it('are offered by their beginning, as they are: nothing in them is run', async () => {
    const before = `muster() { printf '%s\\n' n1.acme.org n2.acme.org 'n3$(echo bad)' z1; }`;
    expect(await offeredAfter(before, ['muster', 'node', 'show', 'n'])).toEqual(['n1.acme.org', 'n2.acme.org', 'n3$(echo bad)']);
    expect(await offeredAfter(before, ['muster', 'node', 'show', 'n2'])).toEqual(['n2.acme.org']);
  });

  it('are not offered where a new one is named, nor when the deployment does not answer', async () => {
    expect(await offered('muster', 'zone', 'create', '')).toEqual([]);
    expect(await offered('muster', 'node', 'token', 'create', '')).toEqual([]);
    expect(await offeredAfter('muster() { echo "muster: no answer" >&2; return 3; }', ['muster', 'node', 'show', ''])).toEqual([]);
  });

  it('come from commands that exist and list names', () => {
    const places = placesOf(programOn(terminal));
    const lists = new Set(places.flatMap((place) => [...(place.list ? [place.list] : []), ...withLists(place).map(({ list }) => list)]));
    expect(lists.size).toBeGreaterThan(10);
    for (const list of lists) {
      const place = places.find(({ path }) => path === list);
      expect(place?.options.find(({ name }) => name === '--output')?.choices, list).toContain('name');
    }
  });
});

describe('every completion script', () => {
  it('in fish and zsh › has files where a file is named', async () => {
    const { out: fish } = await ran('completion fish');
    expect(fish).toMatch(/'__muster_at \\' facts validate\\'' -F$/m);
    expect(fish).toMatch(/'__muster_at \\' mero load\\'' -l file -d .* -r -F$/m);
    const { out: zsh } = await ran('completion zsh');
    expect(zsh).toMatch(/^ {4}\('facts validate'\) offered=.* files=yes ;;$/m);
    expect(zsh).toMatch(/^ {4}\('mero load -f'\) _files; return ;;$/m);
  });

  it('in fish and zsh › asks for names where something that exists is named', async () => {
    const { out: fish } = await ran('completion fish');
    expect(fish).toMatch(/'__muster_at \\' node show\\'' -a '\(__muster_names \\'node list\\'\)'$/m);
    const { out: zsh } = await ran('completion zsh');
    expect(zsh).toMatch(/^ {4}\('node show'\) offered=.* list='node list' ;;$/m);
    expect(zsh).toMatch(/^ {4}\('explain zone'\) _muster_names 'zone list'; return ;;$/m);
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
