import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headBytesMax, methodIn, NamesOfMethods } from '../../../lib/uyuni/xml-rpc/method-name.ts';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';

const read = (text: string, isWhole = true) => methodIn(Buffer.from(text), isWhole);
const unreadable = { unreadable: expect.any(String) };

describe('the method of a call', () => {
  it('is in its first bytes, as clients write them', () => {
    const python = "<?xml version='1.0'?>\n<methodCall>\n<methodName>system.listSystems</methodName>\n<params>\n</params>\n</methodCall>\n";
    const perl = '<?xml version="1.0" encoding="us-ascii"?><methodCall><methodName>auth.login</methodName><params>';
    const apache =
      '<?xml version="1.0" encoding="UTF-8"?><methodCall xmlns:ex="http://ws.apache.org/xmlrpc"><methodName> a.b </methodName>';
    expect(read(python)).toEqual({ method: 'system.listSystems' });
    expect(read(perl, false)).toEqual({ method: 'auth.login' });
    expect(read(apache)).toEqual({ method: 'a.b' });
    expect(read('<!-- a - b --><methodCall><methodName>a.b</methodName>')).toEqual({ method: 'a.b' });
    expect(read('\ufeff<methodCall><methodName>a.b</methodName>')).toEqual({ method: 'a.b' });
    expect(read(callText('channel.software.create', ['x']))).toEqual({ method: 'channel.software.create' });
  });

  it('needs more until it is there, and cannot be told beyond a bound', () => {
    const call = callText('a.b', []);
    const whole = call.indexOf('</methodName>') + '</methodName>'.length;
    for (let end = 0; end < whole; end++) expect(read(call.slice(0, end), false)).toEqual({ needs: 'more' });
    expect(read(' '.repeat(headBytesMax - 1), false)).toEqual({ needs: 'more' });
    expect(read(`${' '.repeat(headBytesMax)}<methodCall><methodName>a.b</methodName>`, false)).toEqual(unreadable);
    expect(read(call.slice(0, whole - 1), true)).toEqual(unreadable);
  });

  it('cannot be told where a parser could read another one', () => {
    const hostile = [
      '',
      '{"method":"a"}',
      '<!DOCTYPE methodCall [<!ENTITY m "channel.software.create">]><methodCall><methodName>&m;</methodName>',
      '<methodCall><methodName>channel.software.&#99;reate</methodName>',
      '<methodCall><methodName>a.<!-- -->b</methodName>',
      '<methodCall><methodName><![CDATA[a.b]]></methodName>',
      '<methodCall><methodName>a.b<x/></methodName>',
      '<methodCall><params/><methodName>a.b</methodName>',
      '<methodCall><?a <methodName>x</methodName> ?><methodName>a.b</methodName>',
      '<x:methodCall xmlns:x="y"><methodName>a.b</methodName>',
      '<methodCall><methodName></methodName>',
      '<?xml version="1.0" encoding="UTF-16"?><methodCall><methodName>a.b</methodName>',
      '<?xml version="1.0" encoding="UTF-7"?><methodCall><methodName>a.b</methodName>',
      ' <?xml version="1.0"?><methodCall><methodName>a.b</methodName>',
    ];
    for (const text of hostile) expect([text, read(text)]).toEqual([text, unreadable]);
    expect(methodIn(Buffer.from(callText('a.b', []), 'utf16le'), true)).toEqual(unreadable);
  });

  it('takes no longer for a body that is made to be slow', () => {
    const slow = ['<!--'.repeat(2_000), '<!-- -->'.repeat(1_000), `<methodCall${' a'.repeat(4_000)}`, '\n'.repeat(8_000)];
    for (const text of slow) expect('unreadable' in read(text)).toBe(true);
  });
});

/** Whether a call that comes in parts of so many bytes names a method too often. */
const isTooMany = (text: string, partBytes = 7): boolean => {
  const names = new NamesOfMethods();
  const bytes = Buffer.from(text);
  let found = false;
  for (let at = 0; at < bytes.length; at += partBytes) found = names.isTooMany(bytes.subarray(at, at + partBytes)) || found;
  return found;
};

describe('a second method in a call', () => {
  const once = '<methodCall><methodName>a.b</methodName><params><param><value>';

  it('is found wherever the parts are cut, and however it is written', () => {
    const seconds = ['<methodName>c</methodName>', '<methodName >', '<methodName\n/>', '<x:methodName>', '<a:b:methodName x="y">'];
    for (const second of seconds)
      for (const cut of [1, 2, 3, 5, 64]) expect([second, cut, isTooMany(once + second, cut)]).toEqual([second, cut, true]);
    expect(isTooMany(`${once}<${'a'.repeat(300)}:methodName>`)).toBe(true);
  });

  it('is not what a value has that looks like one', () => {
    const values = ['&lt;methodName&gt;', 'methodName', '<string>methodName</string>', '</methodName>', '<methodNames>', '<amethodName>'];
    for (const value of values) expect([value, isTooMany(once + value)]).toEqual([value, false]);
  });

  it('is found in no call that is written as calls are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' })), fc.integer({ min: 1, max: 40 }), (params, cut) => {
        expect(isTooMany(callText('a.b', params), cut)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});
