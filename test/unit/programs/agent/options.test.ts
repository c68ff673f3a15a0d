import type { Command } from 'commander';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../../lib/machine/command-line.ts';
import { agentProgram } from '../../../../programs/agent/options.ts';

const asked: [string, object][] = [];
const complaints: string[] = [];
let input = '';
const run = (...args: string[]) => {
  const program = agentProgram({
    run: async (options) => void asked.push(['run', options]),
    leave: async (options) => void asked.push(['leave', options]),
    status: (options) => void asked.push(['status', options]),
    rotate: (options) => void asked.push(['rotate', options]),
    fingerprint: (options) => void asked.push(['fingerprint', options]),
    doctor: async (options, told) => void asked.push(['doctor', { ...options, told }]),
    processReport: async (options) => void asked.push(['process report', options]),
    processConfiguration: async (options) => void asked.push(['process configuration', options]),
    processList: (options) => void asked.push(['process list', options]),
    input: async () => input,
    serviceReport: async (options) => void asked.push(['service report', options]),
    serviceFind: async (options) => void asked.push(['service find', options]),
    serviceAsk: async (options) => void asked.push(['service ask', options]),
    serviceList: (options) => void asked.push(['service list', options]),
    uyuniInstall: async (options) => void asked.push(['uyuni install', options]),
    uyuniCheck: async (options) => void asked.push(['uyuni check', options]),
    uyuniRemove: async (options) => void asked.push(['uyuni remove', options]),
    clusterModeInstall: async (options) => void asked.push(['cluster mode install', options]),
    clusterModeCheck: async (options) => void asked.push(['cluster mode check', options]),
    clusterModeRemove: async (options) => void asked.push(['cluster mode remove', options]),
    clusterModeLock: async (options, isOpen) => void asked.push([isOpen ? 'cluster mode unlock' : 'cluster mode lock', options]),
    contentExport: async (dir, options) => void asked.push([`content export ${dir}`, options]),
    contentDiff: async (dir, options) => void asked.push([`content diff ${dir}`, options]),
    contentImport: async (dir, options) => void asked.push([`content import ${dir}`, options]),
  });
  const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap((sub) => everyCommand(sub))];
  const hear = { writeErr: (text: string) => void complaints.push(text), writeOut: (text: string) => void complaints.push(text) };
  for (const command of everyCommand(program)) command.configureOutput(hear);
  return runCommandLine(program, ['node', 'muster-agent', ...args]);
};
beforeEach(() => {
  asked.length = complaints.length = 0;
});

describe('the command line of muster-agent', () => {
  it('reads what the agent is told', async () => {
    const told = ['--fqdn', 'Node1.Acme.test', '--watch', '192.0.2.7:4505', '--kind', 'salt', '--zone', 'berlin', '--capacity', '2000'];
    const files = ['--home', '/var/lib/muster-agent', '--systems-seen', '/run/seen', '--release-hook', 'make-knock -v'];
    expect(await run('--endpoint', 'https://m.test', ...told, ...files)).toBe(0);
    expect(asked).toEqual([
      [
        'run',
        {
          endpoint: 'https://m.test',
          fqdn: 'node1.acme.test',
          watch: '192.0.2.7:4505',
          kind: 'salt',
          zone: 'berlin',
          capacity: 2000,
          home: '/var/lib/muster-agent',
          systemsSeen: '/run/seen',
          releaseHook: 'make-knock -v',
          allowService: ['built-in'],
        },
      ],
    ]);
  });

  it('knows which types of services the host runs', async () => {
    for (const list of ['built-in,process', ' greeter ', 'none', 'Process', 'process,', '*']) await run('--allow-service', list);
    expect(asked.map(([, given]) => (given as { allowService: string[] }).allowService)).toEqual([
      ['built-in', 'process'],
      ['greeter'],
      [],
    ]);
    expect(complaints.join('')).toContain('“Process” is not a service type: give names such as built-in,process, or none');
  });

  it('knows what power-cycles a host, in words with what is told of it', async () => {
    const command = ' ipmitool -H {bmc}  -U {user} -f {passwordFile} chassis power cycle ';
    for (const given of [command, 'power {host}', 'none']) await run('--power-command', given);
    expect(asked.map(([, given]) => (given as { powerCommand: string[] }).powerCommand)).toEqual([
      ['ipmitool', '-H', '{bmc}', '-U', '{user}', '-f', '{passwordFile}', 'chassis', 'power', 'cycle'],
      ['power', '{host}'],
      [],
    ]);
  });

  it('knows what a service asks, whose data is JSON', async () => {
    expect(await run('service', 'ask', 'who-has', '-d', '{"id":"main"}', '--home', 'here')).toBe(0);
    expect(await run('service', 'ask', 'may-stop')).toBe(0);
    expect(asked).toEqual([
      ['service ask', expect.objectContaining({ question: 'who-has', data: { id: 'main' }, home: 'here' })],
      ['service ask', expect.objectContaining({ question: 'may-stop' })],
    ]);
    expect(await run('service', 'ask', 'may-stop', '-d', '{')).toBe(2);
    expect(complaints.join('')).toContain('not JSON');
  });

  it('knows what a service says that it runs with, which is an object of JSON', async () => {
    expect(await run('service', 'report', 'configured', '{"port":81}')).toBe(0);
    expect(asked).toEqual([['service report', expect.objectContaining({ report: { is: 'configured', configuration: { port: 81 } } })]]);
    for (const wrong of ['81', '{', JSON.stringify({ text: 'x'.repeat(3_000) })])
      expect(await run('service', 'report', 'configured', wrong)).toBe(2);
    expect(complaints.join('')).toContain('at most 3000 characters of JSON');
    input = '{"port":82}';
    expect(await run('service', 'report', 'configured', '-')).toBe(0);
    expect(asked.at(-1)).toEqual([
      'service report',
      expect.objectContaining({ report: { is: 'configured', configuration: { port: 82 } } }),
    ]);
  });

  it('knows leave and status', async () => {
    await run('leave', '--hold', '--until', '2h', '--home', 'here');
    await run('--home', 'here', 'status', '--json');
    expect(asked).toEqual([
      ['leave', expect.objectContaining({ hold: true, until: '2h', home: 'here' })],
      ['status', expect.objectContaining({ json: true, home: 'here' })],
    ]);
  });

  it('knows how processes are run, by what, and where they are configured', async () => {
    const commands = ['--run', 'm0d=/usr/sbin/m0d  -x y=z', '--run', 's3server=s3'];
    await run(
      '--kind',
      'storage',
      '--processes',
      'child',
      ...commands,
      '--ready-after',
      '0.5',
      '--ready-line',
      'ready',
      '--sysconfig',
      '/tmp/s',
    );
    expect(asked).toEqual([
      [
        'run',
        {
          home: '.muster-agent',
          allowService: ['built-in'],
          kind: 'storage',
          processes: 'child',
          run: [
            { prefix: 'm0d', command: ['/usr/sbin/m0d', '-x', 'y=z'] },
            { prefix: 's3server', command: ['s3'] },
          ],
          readyAfter: 500,
          readyLine: 'ready',
          sysconfig: '/tmp/s',
        },
      ],
    ]);
  });

  it('knows what launchers and operators say and ask about processes', async () => {
    const fid = '0x7200000000000001:0x2d';
    await run('process', 'report', fid, 'STARTED', '--pid', '4711', '--home', 'here');
    await run('process', 'report', fid, 'STOPPED');
    await run('process', 'configuration', fid, '-o', '/tmp/x');
    await run('process', 'list', '--json');
    expect(asked).toEqual([
      ['process report', expect.objectContaining({ fid, is: 'STARTED', pid: 4711, home: 'here' })],
      ['process report', expect.objectContaining({ fid, is: 'STOPPED' })],
      ['process configuration', expect.objectContaining({ fid, output: '/tmp/x' })],
      ['process list', expect.objectContaining({ json: true })],
    ]);
  });

  it.each([
    [['process', 'report', '0x7200000000000001:0x2d', 'STARTED'], 'STARTED needs --pid'],
    [['process', 'report', '0x7200000000000001:0x2d', 'GONE'], 'STARTED or STOPPED'],
    [['process', 'report', '45', 'STOPPED'], 'not a fid such as'],
    [['process', 'configuration', 'm0d'], 'not a fid such as'],
    [['--processes', 'docker'], 'Allowed choices are systemd, child, off'],
    [['--run', 'm0d'], 'a prefix and a command'],
    [['--run', '../m0d=x'], 'a prefix and a command'],
    [['--ready-after', 'soon'], 'a number'],
    [['--power-command', 'ipmitool -f {passwordFile}'], 'name {host} or {bmc} at least once, or give none'],
    [['--power-command', ''], 'name {host} or {bmc}'],
    [['--power-command', 'ipmitool {bmc} {password}'], '{password} is not a placeholder: use {host} {bmc} {user} {passwordFile}'],
    [['--power-command', '{host} {bmc}'], 'the first word must be the program itself'],
    [['--fqnd', 'a.test'], '(Did you mean --fqdn?)'],
    [['leave', '--hodl'], '(Did you mean --hold?)'],
    [['--kind', 'nas'], 'Allowed choices are uyuni, salt, storage'],
    [['--watch', 'nowhere'], 'host:port'],
    [['--capacity', '0'], '1 or more'],
    [['--zone', 'Big Zone'], 'lower-case'],
    [['what'], 'too many arguments'],
  ])('refuses %j with exit code 2 and says why', async (args, why) => {
    expect(await run(...args)).toBe(2);
    expect(complaints.join('')).toContain(why);
    expect(asked).toEqual([]);
  });

  it('refuses an address with a password, and does not repeat it', async () => {
    expect(await run('--endpoint', 'http://me:secret@m.test')).toBe(2);
    expect(complaints.join('')).toContain('without a user name or password');
    expect(complaints.join('')).not.toContain('secret');
  });

  it('helps with examples, and exit code 0', async () => {
    expect(await run('--help')).toBe(0);
    expect(complaints.join('')).toContain('$ muster-agent leave --hold --until 2h');
  });

  it('has commands about the database of a Uyuni server, whose configuration is where the server has it', async () => {
    for (const line of ['uyuni install', 'uyuni check --json', 'uyuni remove --rhn-conf /tmp/rhn.conf'])
      expect(await run(...line.split(' '))).toBe(0);
    expect(asked).toMatchObject([
      ['uyuni install', { rhnConf: '/etc/rhn/rhn.conf' }],
      ['uyuni check', { rhnConf: '/etc/rhn/rhn.conf', json: true }],
      ['uyuni remove', { rhnConf: '/tmp/rhn.conf' }],
    ]);
    expect(await run('uyuni')).toBe(2);
  });

  it('has commands about the web pages of a Uyuni server, which are off and open unless asked for', async () => {
    const lines = [
      '--endpoint https://m.test uyuni cluster-mode install',
      'uyuni cluster-mode install --lock-content --port 4581 --cluster-ui https://ui.test/ --server http://127.0.0.1:8080',
      'uyuni cluster-mode check --json',
      'uyuni cluster-mode remove --conf-dir /etc/httpd/conf.d',
      'uyuni cluster-mode unlock',
      'uyuni cluster-mode lock --who ada --node uyuni2.acme.test',
    ];
    for (const line of lines) expect(await run(...line.split(' '))).toBe(0);
    const places = { confDir: '/etc/apache2/conf.d', state: '/run/muster-cluster-mode' };
    expect(asked).toMatchObject([
      ['cluster mode install', { ...places, endpoint: 'https://m.test', port: 4580, server: 'https://127.0.0.1' }],
      ['cluster mode install', { lockContent: true, port: 4581, clusterUi: 'https://ui.test/', server: 'http://127.0.0.1:8080' }],
      ['cluster mode check', { json: true }],
      ['cluster mode remove', { ...places, confDir: '/etc/httpd/conf.d' }],
      ['cluster mode unlock', { home: '.muster-agent' }],
      ['cluster mode lock', { who: 'ada', node: 'uyuni2.acme.test' }],
    ]);
    expect(asked[0]?.[1]).not.toHaveProperty('lockContent');
    for (const bad of ['--port 0', '--cluster-ui //evil.test', '--server http://uyuni2.acme.test', '--conf-dir etc', '--state /run/a"b'])
      expect([bad, await run('uyuni', 'cluster-mode', 'install', ...bad.split(' '))]).toEqual([bad, 2]);
  });

  it('has commands about common content, which take the account of the agent', async () => {
    const account = '--uyuni-account /etc/muster/account.json';
    for (const line of [
      `uyuni content export /srv/content ${account}`,
      `${account} uyuni content diff /srv/content --json`,
      `uyuni content import /srv/content --edited --remove ${account}`,
    ])
      expect(await run(...line.split(' '))).toBe(0);
    const uyuniAccount = '/etc/muster/account.json';
    expect(asked).toMatchObject([
      ['content export /srv/content', { uyuniAccount, home: '.muster-agent' }],
      ['content diff /srv/content', { uyuniAccount, json: true }],
      ['content import /srv/content', { uyuniAccount, edited: true, remove: true }],
    ]);
    for (const bad of ['export /srv/content', `export ${account}`, `import a b ${account}`, `diff a --remove ${account}`])
      expect([bad, await run('uyuni', 'content', ...bad.split(' '))]).toEqual([bad, 2]);
  });
});
