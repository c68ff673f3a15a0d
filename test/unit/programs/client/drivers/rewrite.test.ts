import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { certificateIn, masterIn, serverIn, withMaster, withServer } from '../../../../../programs/client/drivers/rewrite.ts';
import { suseManagerConf } from '../../../../support/a-minion-host.ts';
import { node1, node2 } from '../told.ts';

describe("a minion's configuration", () => {
  it('gets the new master, and everything else stays', () => {
    expect(withMaster(suseManagerConf(node1), node2)).toEqual({ text: suseManagerConf(node2) });
  });

  it.each([
    ['master:   old.acme.test\n', 'master:   node2.acme.test\n'],
    ['master: old # ours\nx: 1', 'master: node2.acme.test # ours\nx: 1'],
    ['a: 1\r\nmaster: old\r\nb: 2\r\n', 'a: 1\r\nmaster: node2.acme.test\r\nb: 2\r\n'],
    ['#master: salt\n  master: nested\n', '#master: salt\n  master: nested\nmaster: node2.acme.test\n'],
    ['master_port: 4506', 'master_port: 4506\nmaster: node2.acme.test\n'],
    ['a: 1\r\nb: 2', 'a: 1\r\nb: 2\r\nmaster: node2.acme.test\r\n'],
    ['master: a\nmaster: b\n', 'master: node2.acme.test\nmaster: node2.acme.test\n'],
    ['', 'master: node2.acme.test\n'],
    [undefined, 'master: node2.acme.test\n'],
  ])('%j becomes %j', (before, after) => {
    expect(withMaster(before, node2)).toEqual({ text: after });
  });

  it.each(['master:\n  - a\n  - b\n', 'master: [a, b]\n', 'master: # none\n', 'master: |\n  a\n', 'master: *shared\n'])(
    '%j is refused',
    (text) => {
      expect(withMaster(text, node2)).toMatchObject({ fault: expect.stringContaining('one line') });
    },
  );

  it('keeps every byte of every other line, and names the master then', () => {
    const line = fc.oneof(
      fc.constantFrom('master: a.b', 'master:\tx.y  # z', 'grains:', '  master: in', '', '#', 'ä: \u0080'),
      fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), (lines, newline, ends) => {
        const text = lines.join(newline) + (ends ? newline : '');
        const written = withMaster(text, node2);
        if ('fault' in written) return;
        const others = (all: string) => all.replaceAll(/^master:.*$/gm, 'master:');
        expect(masterIn(written.text)).toBe(node2);
        if (/^master:/m.test(text)) expect(others(written.text)).toBe(others(text));
        else expect(written.text.startsWith(text)).toBe(true);
        expect(withMaster(written.text, node2)).toEqual(written);
      }),
    );
  });

  it('is read for the node that it names', () => {
    expect([masterIn('master: "a.b" # c'), masterIn('x: 1'), masterIn('master: a\nmaster: b')]).toEqual(['a.b', undefined, undefined]);
  });
});

const up2date = `# Automatically generated Red Hat Update Agent config file, do not edit.
serverURL[comment]=Remote server URL
serverURL=https://node1.acme.test/XMLRPC
sslCACert[comment]=The CA cert used to verify the ssl server
sslCACert=/usr/share/rhn/RHN-ORG-TRUSTED-SSL-CERT
`;

describe("the traditional client's configuration", () => {
  it('gets the new server, with scheme, port and path as they were', () => {
    expect(withServer(up2date, node2)).toEqual({ text: up2date.replace('node1', 'node2') });
    expect(withServer('serverURL = http://a:8080/X;http://b/X\n', node2)).toEqual({ text: 'serverURL = http://node2.acme.test:8080/X\n' });
  });

  it('gets the certificate that was given', () => {
    expect(withServer(up2date, node2, '/etc/ca.pem')).toEqual({
      text: up2date.replace('node1', 'node2').replace('/usr/share/rhn/RHN-ORG-TRUSTED-SSL-CERT', '/etc/ca.pem'),
    });
  });

  it.each([
    [undefined, undefined],
    ['enableProxy=0\n', undefined],
    ['serverURL=ftp://a/\n', undefined],
    ['serverURL=https://a/\n', '/etc/ca.pem'],
  ])('%j is refused', (text, certificate) => {
    expect(withServer(text, node2, certificate)).toHaveProperty('fault');
  });

  it('is read for the node and the certificate that it names', () => {
    expect([serverIn(up2date), serverIn('serverURL=https://a/;https://b/'), certificateIn(up2date), certificateIn('')]).toEqual([
      node1,
      undefined,
      '/usr/share/rhn/RHN-ORG-TRUSTED-SSL-CERT',
      undefined,
    ]);
  });
});
