import { describe, expect, it } from 'vitest';
import { EmbeddedEnv } from '../../../../lib/runtime/env.ts';
import { logTo } from '../../../../programs/local/log.ts';
import { asksForHelp, helpText, optionsIn } from '../../../../programs/local/options.ts';
import { tryNext } from '../../../../programs/local/try-next.ts';

const started = { root: '/srv/muster', cwd: '/srv/muster', url: 'http://127.0.0.1:8080', home: '.muster' };

describe('what a host says to try next', () => {
  it('is to be typed as it stands, where all is as usual', () => {
    const text = tryNext(started, undefined);
    expect(text).toContain('in this folder, in another terminal:\n    npx muster status ');
    expect(text).toContain("sed 's/^/authorization: Bearer /' .muster/operator.key | curl -H @- http://127.0.0.1:8080/api/v1/openapi.json");
    expect(text).toMatch(/^ {2}The page is at http:\/\/127\.0\.0\.1:8080\/ui\/\. .*\n {4}npx muster login --link\n/);
  });

  it('begins with what programs have to be told: another address, another state folder', () => {
    const text = tryNext({ ...started, url: 'http://127.0.0.1:9000', home: '/tmp/a state' }, undefined);
    expect(text).toContain(
      "in another terminal:\n    export MUSTER_ENDPOINT=http://127.0.0.1:9000 MUSTER_HOME='/tmp/a state'\n    npx muster status ",
    );
    expect(text).toContain("'/tmp/a state/operator.key' | curl -H @- http://127.0.0.1:9000/");
    expect(tryNext({ ...started, url: 'https://127.0.0.1:8080' }, undefined)).toContain('export MUSTER_ENDPOINT=https://127.0.0.1:8080\n');
  });

  it('leads into the project, where alone npx finds this Muster, whoever was where when it was started', () => {
    const text = tryNext({ ...started, cwd: '/home/ada', home: 'state' }, undefined);
    expect(text).toContain('Try next, in /srv/muster, in another terminal:\n    export MUSTER_HOME=/home/ada/state\n');
    expect(tryNext({ ...started, cwd: '/srv', home: 'muster/.muster' }, undefined)).not.toContain('export');
  });

  it('begins with a link that opens the page, on a line of its own and never as a word of a command', () => {
    expect(tryNext(started, 'http://127.0.0.1:8080/sign-in#msl_1')).toMatch(
      /^ {2}Open the page, which this link signs you in to, once, within 10 min:\n {4}http:\/\/127\.0\.0\.1:8080\/sign-in#msl_1\n/,
    );
  });
});

describe('npm start -- --help', () => {
  it('has every option with its variable, which it is one of the settings', () => {
    expect([['--help'], ['-h'], ['--port', '0', '--help'], ['--port', '0']].map(asksForHelp)).toEqual([true, true, true, false]);
    const lines = helpText()
      .split('\n')
      .map((line) => /^ {2}--(\S+) <\w+> +(MUSTER_\w+) +\S/.exec(line)?.slice(1));
    const told = lines.filter((line) => line !== undefined);
    expect(told.length).toBeGreaterThan(5);
    for (const [option, variable] of told) expect(optionsIn([`--${option}`, 'x'])).toEqual({ [variable!]: 'x' });
    expect(Object.keys(EmbeddedEnv.shape)).toEqual(expect.arrayContaining(told.map(([, variable]) => variable)));
  });
});

describe('the log of a host', () => {
  const written = (isTTY: boolean) => {
    let text = '';
    const stream = {
      isTTY,
      write: (more: string) => {
        text += more;
      },
    };
    const log = logTo(stream, 'info', () => Date.parse('2026-05-01T12:00:07Z'));
    log('debug', 'door.refused', { path: '/' });
    log('warn', 'door.refused', { path: '/api/v1', detail: 'no such\u001b[2J thing', empty: '', n: 3, missing: undefined });
    return text;
  };

  it('is JSON for programs, a line a call, from a level on', () => {
    expect(JSON.parse(written(false))).toEqual({
      at: '2026-05-01T12:00:07.000Z',
      level: 'warn',
      code: 'door.refused',
      path: '/api/v1',
      detail: 'no such\\u{1b}[2J thing',
      empty: '',
      n: 3,
    });
  });

  it('says on a terminal what happened, and when, with nothing that moves the cursor', () => {
    expect(written(true)).toBe(
      '12:00:07Z warn  a call was refused (door.refused path=/api/v1 detail="no such\\\\u{1b}[2J thing" empty="" n=3)\n',
    );
  });
});
