import { describe, expect, it } from 'vitest';
import { runsAs, ServiceUser, userNamed } from '../../../../programs/agent/runs-as.ts';

const web = { name: 'web', uid: 33, gid: 33, home: '/var/www' };
const root = { name: 'root', uid: 0, gid: 0, home: '/root' };
const host = (uid: number) => ({ uid, find: (name: string) => [web, root].find((user) => user.name === name) });
const said = (...texts: string[]) => texts.map((text) => ServiceUser.parse(text));

describe('as whom something runs', () => {
  it('is the agent’s own user where that is not root', () => {
    expect(runsAs([], host(33))('process')).toEqual({ ok: true });
    expect(runsAs(said('web'), host(33))('process')).toEqual({ ok: true });
    expect(runsAs(said('root'), host(33))('process')).toMatchObject({
      ok: false,
      why: expect.stringContaining('only an agent that is root'),
    });
  });

  it('is never root because nobody has said anything', () => {
    const why = 'no user is set for process, and the agent is root: set service-user = process=USER in the agent’s configuration';
    expect(runsAs([], host(0))('process')).toEqual({ ok: false, why });
    expect(runsAs(said('m0d=root'), host(0))('process')).toEqual({ ok: false, why });
    expect(runsAs(said('root'), host(0))('process')).toEqual({ ok: true });
  });

  it('is who is named for it, before who is named for all', () => {
    const as = runsAs(said('web', 'm0d=root'), host(0));
    expect(as('process')).toEqual({ ok: true, user: web });
    expect(as('m0d')).toEqual({ ok: true });
    expect(runsAs(said('process=nobody-here', 'web'), host(0))('process')).toMatchObject({
      ok: false,
      why: expect.stringContaining('no such user'),
    });
  });

  it('is a user of this host, by its name', () => {
    expect(userNamed('root')).toMatchObject({ uid: 0, gid: 0 });
    expect(userNamed('no-such-user-here')).toBeUndefined();
    for (const wrong of ['', '=web', 'a=b=c', '0', '-G', 'web user', 'process='])
      expect(ServiceUser.safeParse(wrong).success, wrong).toBe(false);
  });
});
