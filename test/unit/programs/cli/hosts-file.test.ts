import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostsIn } from '../../../../programs/cli/commands/halon/hosts-file.ts';

describe('a file of hosts', () => {
  it('has one host a line, comments and empty lines, each host once', () => {
    const text = '# stations\nts1.acme.org\n\n  TS2.acme.org # the second\r\nts1.acme.org\n';
    expect(hostsIn(text)).toEqual({ hosts: ['ts1.acme.org', 'ts2.acme.org'], defects: [] });
  });

  it('is told apart from a genders file, line by line', () => {
    expect(hostsIn('ts1.acme.org tracking_station\nlocalhost\n')).toEqual({
      hosts: [],
      defects: [
        { line: 1, says: 'more than one host on a line: for a genders file, give the attribute of the hosts' },
        { line: 2, says: 'localhost is not a host name' },
      ],
    });
  });
});

describe('a genders file', () => {
  const of = (text: string) => hostsIn(text, 'tracking_station');

  it('gives those that have the attribute, with or without a value, on one line of theirs or another', () => {
    const text =
      'ts[1-2].acme.org,ts9.acme.org rack=r1\nts1.acme.org a,tracking_station=yes\nts9.acme.org tracking_station\nx.acme.org tracking_stations\n';
    expect(of(text)).toEqual({ hosts: ['ts1.acme.org', 'ts9.acme.org'], defects: [] });
  });

  it('writes ranges with the zeros they have', () => {
    expect(of('ts[08-10,12].acme.org tracking_station').hosts).toEqual([
      'ts08.acme.org',
      'ts09.acme.org',
      'ts10.acme.org',
      'ts12.acme.org',
    ]);
  });

  it.each(['ts[3-1].acme.org', 'ts[1-999999999].acme.org', 'ts[1].rack[2].acme.org', 'ts].acme.org', 'ts[a-b].acme.org', 'ts_1'])(
    'refuses %s, with its line',
    (name) => {
      const { hosts, defects } = of(`ok.acme.org tracking_station\n${name} tracking_station\n`);
      expect(hosts).toEqual(['ok.acme.org']);
      expect(defects).toEqual([{ line: 2, says: expect.stringContaining(name) }]);
    },
  );
});

describe('whatever a file has in it', () => {
  it('is read to its end: names of hosts, and defects with lines that there are', () => {
    const nonsense = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('[', ']', '-', ',', '1', '9', 'a.b', ' ', '\n', '#', '=', 't')).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(nonsense, fc.constantFrom(undefined, 't'), (text, attribute) => {
        const { hosts, defects } = hostsIn(text, attribute);
        for (const host of hosts) expect(host).toMatch(/^[a-z0-9.-]+$/);
        for (const { line } of defects) expect(line).toBeLessThanOrEqual(text.split('\n').length);
      }),
    );
  });
});
