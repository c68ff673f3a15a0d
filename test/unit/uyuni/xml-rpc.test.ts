import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Call, readCall, readResponse } from '../../../lib/uyuni/xml-rpc/read.ts';
import { DateTime, NotXmlRpc, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { callText, faultText, responseText } from '../../../lib/uyuni/xml-rpc/write.ts';

/** Texts that XML can hold, with all that it gives a meaning to. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('&', '<', '>', '"', "'", ']]>', '\r', '\n', '\t', ' ', 'ü', '𝄞'),
      fc.string({ minLength: 1, maxLength: 3 }),
    ),
  })
  .filter((one) => !/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/u.test(one));
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
    text,
    fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => DateTime.utc(ms)),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** A call with one argument, as it stands between its tags. */
const withArgument = (inner: string): Call =>
  readCall(`<?xml version="1.0"?>\n<methodCall> <methodName>a.b</methodName> <params> <param> ${inner} </param> </params> </methodCall>`);
const argument = (inner: string): Value | undefined => withArgument(inner).params[0];

describe('XML-RPC', () => {
  it('carries every value there and back', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), (params) => {
        expect(readCall(callText('system.listSystems', params))).toEqual({ method: 'system.listSystems', params });
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(value, fc.integer(), text, (one, code, words) => {
        expect(readResponse(responseText(one))).toEqual({ ok: true, value: one });
        expect(readResponse(faultText({ code, text: words }))).toEqual({ ok: false, fault: { code, text: words } });
      }),
      { numRuns: 200 },
    );
  });

  it('takes what other programs write: values without a type, blanks, i4, CDATA, nil of Apache', () => {
    expect(argument('<value>  padded </value>')).toBe('  padded ');
    expect(argument('<value/>')).toBe('');
    expect(argument('<value>\n <i4> 7 </i4>\n</value>')).toBe(7);
    expect(argument('<value><i8>5000000000</i8></value>')).toBe(5_000_000_000);
    expect(argument('<value><string><![CDATA[<a & b>]]></string></value>')).toBe('<a & b>');
    expect(argument('<value><ex:nil/></value>')).toBe(null);
    expect(argument('<value><dateTime.iso8601>20260713T08:15:00</dateTime.iso8601></value>')).toEqual(new DateTime('20260713T08:15:00'));
    expect(argument('<value><base64> aGFs\nbG8= </base64></value>')).toEqual(new Uint8Array(Buffer.from('hallo')));
    expect(argument('<value><struct><member><name>__proto__</name><value>x</value></member></struct></value>')).toHaveProperty(
      ['__proto__'],
      'x',
    );
    expect(readCall('<methodCall><methodName>api.getVersion</methodName></methodCall>')).toEqual({ method: 'api.getVersion', params: [] });
  });

  it('says what is wrong with any other text', () => {
    const refused = (inner: string): string => {
      try {
        argument(inner);
      } catch (error) {
        if (error instanceof NotXmlRpc) return error.message;
        throw error;
      }
      return 'nothing is wrong with it';
    };
    expect(refused('<value><int>1e3</int></value>')).toBe('“1e3” is not a whole number');
    expect(refused('<value><int>9007199254740993</int></value>')).toBe('“9007199254740993” is not a whole number');
    expect(refused('<value><boolean>true</boolean></value>')).toBe('“true” is not a boolean: it is 0 or 1');
    expect(refused('<value><float>1</float></value>')).toBe('<float> is not a type of XML-RPC');
    expect(refused('<value><struct><member><name>a</name></member></struct></value>')).toBe('<member> without <value>');
    expect(refused('<value><string>&unknown;</string></value>')).toMatch(/^Invalid character entity in line 2/);
    expect(() => readCall('<methodCall><methodName>a')).toThrow(NotXmlRpc);
    expect(() => readCall('')).toThrow(NotXmlRpc);
    expect(() => readCall('<!DOCTYPE a [<!ENTITY b "c">]><methodCall/>')).toThrow('a DOCTYPE is not allowed');
    expect(() => readCall('<value>'.repeat(300))).toThrow('more than 200 deep');
    expect(() => readResponse('<methodCall/>')).toThrow('<methodCall> in place of <methodResponse>');
    expect(() => callText('a', ['\u0000'])).toThrow('no XML can hold the character U+0000 of a text');
    expect(() => callText('a', [Number.NaN])).toThrow('NaN is not a number of XML-RPC');
  });
});
