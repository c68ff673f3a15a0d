import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine, Unusable } from '../../../../lib/machine/command-line.ts';
import { folderAt } from '../../../../lib/machine/folder.ts';
import { BuiltIn } from '../../../../programs/agent/built-in.ts';
import { readSettings } from '../../../../programs/agent/configuration-file.ts';
import { findEndpoint } from '../../../../programs/agent/image.ts';
import { type AgentOptionsGiven, agentProgram } from '../../../../programs/agent/options.ts';

let place: string;
let file: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-configuration-'));
  file = join(place, 'agent.conf');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(place, { recursive: true });
});

/** What the agent is told, all in all; what it complains of where it is told nothing that it understands. */
async function told(args: readonly string[], builtIn: BuiltIn = {}): Promise<{ code: number; told?: AgentOptionsGiven; said: string }> {
  let heard: AgentOptionsGiven | undefined;
  let said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const hear = async (options: AgentOptionsGiven) => {
    heard = { ...options };
  };
  const program = agentProgram(
    {
      run: hear,
      leave: hear,
      rotate: () => {},
      fingerprint: () => {},
      doctor: hear,
      status: (options) => void hear(options),
      processReport: hear,
      processConfiguration: hear,
      processList: () => {},
      input: async () => '',
      serviceReport: hear,
      serviceFind: hear,
      serviceAsk: async () => {},
      serviceList: () => {},
      uyuniInstall: async () => {},
      uyuniCheck: async () => {},
      uyuniRemove: async () => {},
      clusterModeInstall: async () => {},
      clusterModeCheck: async () => {},
      clusterModeRemove: async () => {},
      clusterModeLock: async () => {},
      contentExport: async () => {},
      contentDiff: async () => {},
      contentImport: async () => {},
    },
    builtIn,
  );
  const code = await runCommandLine(program, ['node', 'muster-agent', ...args]);
  return { code, said, ...(heard && { told: heard }) };
}
const writes = (...lines: string[]): void => writeFileSync(file, lines.join('\n'));

describe('who says where Muster is', () => {
  const folder = () => folderAt(place);
  const endpointOf = async (args: readonly string[], builtIn: BuiltIn) => {
    const { told: options } = await told(['--home', place, ...args], builtIn);
    return findEndpoint(folder(), options?.endpoint, builtIn.endpoint);
  };
  const [byFlag, byEnvironment, byFile, byFolder, builtIn] = ['flag', 'environment', 'file', 'folder', 'built-in'].map(
    (name) => `https://${name}.test`,
  ) as [string, string, string, string, string];
  // The nearest first: each wins over all that come after it.
  const ways: readonly { is: string; says: string; by: string; say(): { args?: string[]; builtIn?: BuiltIn } }[] = [
    { is: 'a flag', says: byFlag, by: 'given', say: () => ({ args: ['--endpoint', byFlag] }) },
    {
      is: 'the environment',
      says: byEnvironment,
      by: 'given',
      say: () => {
        vi.stubEnv('MUSTER_ENDPOINT', byEnvironment);
        return {};
      },
    },
    {
      is: 'the configuration file',
      says: byFile,
      by: 'given',
      say: () => {
        writes(`endpoint = ${byFile}`);
        return { args: ['--config', file] };
      },
    },
    {
      is: 'the folder',
      says: byFolder,
      by: 'folder',
      say: () => {
        writeFileSync(join(place, 'endpoint'), `${byFolder}\n`);
        return {};
      },
    },
    { is: 'the executable', says: builtIn, by: 'built-in', say: () => ({ builtIn: { endpoint: builtIn } }) },
    { is: 'nobody', says: 'http://127.0.0.1:8080', by: 'nobody', say: () => ({}) },
  ];
  const pairs = ways.flatMap((nearer, at) => ways.slice(at + 1).map((further) => ({ nearer, further })));
  it.each(pairs)('$nearer.is wins over $further.is', async ({ nearer, further }) => {
    const [first, second] = [nearer.say(), further.say()];
    const args = [...(first.args ?? []), ...(second.args ?? [])];
    expect(await endpointOf(args, { ...first.builtIn, ...second.builtIn })).toEqual({ endpoint: nearer.says, by: nearer.by });
  });
});

describe('the configuration file', () => {
  it('says what the options say, in words of their own kind', async () => {
    writes(
      '# this rack',
      '',
      '  kind = storage',
      'zone=berlin',
      'capacity = 2000\r',
      'insecure = yes',
      'manage-keys = no',
      'processes = child',
      'run = m0d=/usr/sbin/m0d -x',
      'run = other=/bin/other',
      'ready-after = 3',
      'home = /var/lib/muster-agent',
      'release-hook = make-knock a=b # c',
      'allow-service = built-in,process',
    );
    expect(await told(['--config', file])).toEqual({
      code: 0,
      said: '',
      told: {
        config: file,
        kind: 'storage',
        zone: 'berlin',
        capacity: 2000,
        insecure: true,
        processes: 'child',
        run: [
          { prefix: 'm0d', command: ['/usr/sbin/m0d', '-x'] },
          { prefix: 'other', command: ['/bin/other'] },
        ],
        readyAfter: 3000,
        home: '/var/lib/muster-agent',
        releaseHook: 'make-knock a=b # c',
        allowService: ['built-in', 'process'],
      },
    });
  });

  it('loses which services run to the environment, and that to a flag; what is built in is last', async () => {
    const heard = async (...args: string[]) => (await told(args)).told?.allowService;
    expect(await heard()).toEqual(['built-in']);
    writes('allow-service = process');
    expect(await heard('--config', file)).toEqual(['process']);
    vi.stubEnv('MUSTER_ALLOW_SERVICE', 'statistics');
    expect(await heard('--config', file)).toEqual(['statistics']);
    expect(await heard('--config', file, '--allow-service', 'none')).toEqual([]);
  });

  it('loses what power-cycles hosts to the environment, and that to a flag; what is built in is last', async () => {
    const heard = async (...args: string[]) => (await told(args)).told?.powerCommand;
    expect(await heard()).toBeUndefined();
    writes('power-command = /opt/power {host}');
    expect(await heard('--config', file)).toEqual(['/opt/power', '{host}']);
    vi.stubEnv('MUSTER_POWER_COMMAND', 'power {bmc}');
    expect(await heard('--config', file)).toEqual(['power', '{bmc}']);
    expect(await heard('--config', file, '--power-command', 'none')).toEqual([]);
  });

  it('is heard by every command, wherever it is named', async () => {
    writes('home = /from/file');
    vi.stubEnv('MUSTER_AGENT_CONFIG', file);
    expect((await told(['status', '--json'])).told).toMatchObject({ home: '/from/file', json: true });
    expect((await told(['leave', '--home', '/from/flag'])).told).toMatchObject({ home: '/from/flag' });
  });

  it('loses an option as a whole to a flag: lists are not mixed, and neither are two ways to say one thing', async () => {
    writes('run = m0d=/usr/sbin/m0d', 'watch-source = salt-master:/', 'kind = salt');
    const heard = (await told(['--config', file, '--run', 'x=/bin/x', '--systems-seen', '/run/seen', '--kind', 'storage'])).told;
    expect(heard).toMatchObject({ run: [{ prefix: 'x', command: ['/bin/x'] }], systemsSeen: '/run/seen', kind: 'storage' });
    expect(heard?.watchSource).toBeUndefined();
  });

  it('that is built in may be absent; one that is named may not', async () => {
    const absent = join(place, 'none.conf');
    expect((await told([], { config: absent, home: '/built/in' })).told).toMatchObject({ home: '/built/in' });
    expect(await told(['--config', absent])).toMatchObject({ code: 74, said: expect.stringContaining(absent) });
    writes('home = /from/file');
    expect((await told([], { config: file, home: '/built/in' })).told).toMatchObject({ home: '/from/file' });
  });

  it.each([
    ['kind = ceph', ':1 sets kind to a value that is not valid: Allowed choices are uyuni, salt, storage.'],
    ['capacity = many', ':1 sets capacity to a value that is not valid: a number.'],
    ['endpoint = https://me:secret@muster.test', ':1 sets endpoint to a value that is not valid: an address without'],
    ['insecure = perhaps', ':1 sets insecure to a value that is not valid: yes or no'],
    ['insecure = constructor', ':1 sets insecure to a value that is not valid: yes or no'],
    ['zone = a\n\nzone = b', ':3 sets zone again: line 1 sets it already'],
    ['\nfqdm = node1.acme.test', ':2 sets fqdm: the agent has no such option'],
    ['token = mjt_secret', ':1 sets token: other users may read this file: name a file with token-file'],
    ['config = /other', ':1 sets config: a configuration file cannot name another one'],
    ['help = yes', ':1 sets help: the agent has no such option'],
    ['systems-seen = /a\nwatch-source = file:/b', ':1 sets systems-seen, and line 2 watch-source: set only one of the two'],
    ['zone', ':1 is not a setting'],
    ['zone =', ':1 is not a setting'],
    ['{"zone": "a"}', ':1 is not a setting'],
    ['__proto__ = x', ':1 is not a setting'],
    ['constructor = x', ':1 sets constructor: the agent has no such option'],
  ])('that says %j is refused by its line, and no secret is repeated', async (text, complaint) => {
    writes(text);
    const { code, told: heard, said } = await told(['--config', file]);
    expect({ code, heard }).toEqual({ code: 74, heard: undefined });
    expect(said).toContain(`muster-agent: ${file}${complaint}`);
    expect(said).not.toContain('secret');
  });

  it('is read whole or refused by a line of it, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '-', '=', ' ', '\n', '\r', '#', '\0', 'é') })), (text) => {
        try {
          for (const { name, value, line } of readSettings(text, 'f')) {
            expect(name).toMatch(/^[a-z][a-z-]*$/);
            expect(value.trim()).toBe(value);
            expect(text.split('\n')[line - 1]).toContain(value);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Unusable);
        }
      }),
    );
  });

  it('reads back whatever was written as its lines', () => {
    const name = fc.stringMatching(/^[a-z][a-z-]{0,10}$/).filter((text) => text !== 'run');
    const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one }), (pairs) => {
        const read = readSettings(pairs.map(([one, is]) => `${one} = ${is}`).join('\n'), 'f');
        expect(read).toEqual(pairs.map(([one, is], at) => ({ name: one, value: is, line: at + 1 })));
      }),
    );
  });
});

describe('what is built in', () => {
  it('is an address, a file, a folder, the services that run and the power program, and nothing else', () => {
    expect(
      BuiltIn.parse({ endpoint: 'https://muster.test', config: '/etc/x', home: '/var/x', allowService: ['process'], powerCommand: ['x'] }),
    ).toBeTruthy();
    for (const wrong of [{ endpoint: 'muster' }, { token: 'x' }, { home: '' }]) expect(BuiltIn.safeParse(wrong).success).toBe(false);
  });
});
