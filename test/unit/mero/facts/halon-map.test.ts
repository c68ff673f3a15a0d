import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { convertHalonMap, isHalonMap } from '../../../../lib/mero/facts/convert/halon-map.ts';
import { HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';

const ssu = (...h_services: unknown[]) => ({ name: 'ssu', h_bootstrap_station: false, h_services });
/** The services of a role with these commands, or what is wrong with it. */
function servicesOf(...commands: unknown[]) {
  const map = convertHalonMap([ssu(...commands)]);
  return map.ok ? map.roles[0]!.services : map.defects;
}

describe('a map of Halon roles', () => {
  it('becomes roles of a catalogue: which are stations, and what runs where with which configuration', () => {
    const log = 'decision-log start --log-text /var/log/decision.log --trace-file=/var/log/trace.log --verbose';
    const map = convertHalonMap([{ name: 'station', h_bootstrap_station: true, h_services: [log] }, { name: 'dm' }]);

    const configuration = { 'log-text': '/var/log/decision.log', 'trace-file': '/var/log/trace.log', verbose: true };
    expect(map).toEqual({
      ok: true,
      roles: [
        { name: 'station', station: true, services: [{ type: 'decision-log', configuration }] },
        { name: 'dm', station: false, services: [] },
      ],
      notes: [],
      secrets: [],
    });
    expect(map.ok && map.roles.map((role) => HalonRole.parse(role))).toEqual(map.ok && map.roles);
  });

  it('has the names of secrets for passwords, and says so', () => {
    const map = convertHalonMap([ssu('sspl start -u user -p "top secret"'), { ...ssu('sspl-hl start --password=other'), name: 'cmu' }]);

    expect(map).toMatchObject({
      roles: [
        { services: [{ type: 'sspl', configuration: { username: 'user', password: { secret: 'halon/ssu/0-sspl/password' } } }] },
        { services: [{ type: 'sspl-hl', configuration: { password: { secret: 'halon/cmu/0-sspl-hl/password' } } }] },
      ],
      notes: [{ says: 'a password becomes the name of a secret', times: 2, first: [0, 'h_services', 0] }],
      secrets: [
        { name: 'halon/ssu/0-sspl/password', value: 'top secret' },
        { name: 'halon/cmu/0-sspl-hl/password', value: 'other' },
      ],
    });
  });

  it.each([
    ['ping start', {}],
    ['ping start --every 5 --every 7', { every: ['5', '7'] }],
    ['ping start --at -5 -v', { at: '-5', v: true }],
    [`ping start --text 'two words' --more a" b "c`, { text: 'two words', more: 'a b c' }],
  ])('reads %s', (command, configuration) => {
    expect(servicesOf(command)).toEqual([{ type: 'ping', configuration }]);
  });

  it.each([
    ['ping stop', 'it must be a command that starts a service, such as "ping start"'],
    ['', 'it must be a command that starts a service, such as "ping start"'],
    [7, 'it must be a command, such as "ping start"'],
    [`ping start --text 'two`, 'a quote in it is not closed'],
    ['ping start --every 5 hunter2', 'its 3. word after start belongs to no option'],
  ])('is refused with %s, of which nothing is quoted', (command, says) => {
    expect(servicesOf('ping start', command)).toEqual([{ path: [0, 'h_services', 1], says }]);
  });

  it('is refused with everything that is wrong with it', () => {
    const map = convertHalonMap([ssu(), ssu(), { name: '7', h_bootstrap_station: 'yes', h_services: 'ping start' }]);
    expect(map.ok ? [] : map.defects.map(({ path, says }) => `${path.join('.')} ${says}`)).toEqual([
      '2.h_bootstrap_station it must be true or false',
      '2.h_services it must be a list',
      '1.name role ssu is there already: [0]',
      '2.name a name is a letter and up to 63 letters, digits or ._-',
    ]);
  });

  it('is told from roles of a catalogue, and from anything else', () => {
    expect([[ssu()], [{ name: 'x', h_bootstrap_station: true }]].map(isHalonMap)).toEqual([true, true]);
    expect([[], {}, null, [null], [{ name: 'x', station: true, services: [] }]].map(isHalonMap)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('has the names of secrets for each of several passwords', () => {
    const map = convertHalonMap([ssu('sspl start --password one --password two')]);
    const [first, second] = ['halon/ssu/0-sspl/password/0', 'halon/ssu/0-sspl/password/1'];
    expect(map).toMatchObject({
      roles: [{ services: [{ configuration: { password: [{ secret: first }, { secret: second }] } }] }],
      secrets: [
        { name: first, value: 'one' },
        { name: second, value: 'two' },
      ],
    });
  });
  test('never lets a password into its roles', () => {
    const password = fc.stringMatching(/^[!-~]{8,20}$/).filter((text) => !/["'\\]/.test(text) && !/^--?[A-Za-z]/.test(text));
    fc.assert(
      fc.property(password, fc.constantFrom('-p ', '--password ', '--password=', '--api-token '), (value, option) => {
        const map = convertHalonMap([ssu(`sspl start --host h ${option}${value} --vhost v`)]);
        expect(map.ok && map.secrets.map((one) => one.value)).toEqual([value]);
        expect(JSON.stringify(map.ok && [map.roles, map.notes])).not.toContain(JSON.stringify(value).slice(1, -1));
      }),
    );
  });
});
