import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdPath } from '../../../../lib/uyuni/merge/ids.ts';
import { readResponse } from '../../../../lib/uyuni/xml-rpc/read.ts';
import type { Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import { responseText } from '../../../../lib/uyuni/xml-rpc/write.ts';
import { cutAt, documentOf, systemText, text, value } from './documents.ts';
import { everyByte, plus, scan, string, whole } from './scanned.ts';

/** The same by trees: ids of elements rewritten, elements with an unknown id left out. */
function byTree(values: readonly Value[]): Value[] {
  return values.flatMap((one) => {
    if (typeof one !== 'object' || one === null || !('id' in one)) return [one];
    const { id } = one as { readonly id: Value };
    if (!(typeof id === 'number' && Number.isInteger(id)) && !(typeof id === 'string' && /^\s*[+-]?\d{1,19}\s*$/.test(id))) return [one];
    const clusterId = plus('system', Number(id));
    return clusterId === undefined ? [] : [{ ...one, id: typeof id === 'string' ? String(clusterId) : clusterId }];
  });
}

const element = fc.oneof(
  value,
  fc.record({ id: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 9 }).map(String)), name: text, more: value }),
);

describe('the scanner of an answer', () => {
  it('gives the same for every way in which the bytes come', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 6 }), fc.array(fc.nat(3_000), { maxLength: 12 }), (values, cuts) => {
        const document = responseText(values);
        expect(scan(cutAt(Buffer.from(document), cuts))).toEqual(whole(document));
      }),
      { numRuns: 300 },
    );
    const long = documentOf(
      Array.from({ length: 60 }, (_, at) => systemText(at, 'ü&amp;<![CDATA[<a>]]>'.repeat(at % 9)) + string('x'.repeat(at * 9))).join('\n'),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(long)), { maxLength: 8 }), (cuts) => {
        expect(scan(cutAt(Buffer.from(long), cuts))).toEqual(whole(long));
      }),
      { numRuns: 300 },
    );
    const document = responseText([{ id: 1, name: 'ü€𝄞 ]] > & <' }, [], {}, '', null, [[{ id: 3 }]], { id: 3 }, { id: 5, 'a&b': [true] }]);
    expect(everyByte(document)).toEqual(whole(document));
  });

  it('keeps what a reading of the whole does, with ids rewritten and unknown ones left out', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 8 }), (values) => {
        const { kept, shape, elements, leftOut } = whole(responseText(values));
        const expected = byTree(values);
        expect(readResponse(documentOf(kept))).toEqual({ ok: true, value: expected });
        expect({ shape, elements, leftOut }).toEqual({
          shape: 'array',
          elements: expected.length,
          leftOut: values.length - expected.length,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the bytes of elements as they are, and nothing of what is between them', () => {
    const pretty = systemText(4).replaceAll('><', '>\n  <').replace('<i4>4</i4>', '<i4> 4 </i4>');
    const { kept } = whole(documentOf(`\n ${pretty} <!-- - --> ${systemText(3)}\n${systemText(5)}\t`));
    expect(kept).toBe(pretty.replace('<i4> 4 </i4>', '<i4>500000004</i4>') + systemText(5).replace('>5<', '>500000005<'));
  });

  it('takes what other programs write', () => {
    const values = [
      '<value>  a </value>',
      '<value/>',
      '<value></value>',
      '<value><nil/></value>',
      '<value><ex:nil /></value>',
      '<value><nil></nil></value>',
      '<value><i8>5000000000</i8></value>',
      '<value><string><![CDATA[<a & b>]]>]]<!-- c -->&#x1D11E;</string></value>',
      '<value ><base64>\nAQID\n</base64></value >',
      '<value><double>-1.5E3</double></value>',
      '<value><array><data/></array></value>',
      '<value><struct/></value>',
    ].join('');
    for (const read of [whole, everyByte])
      expect(read(documentOf(values))).toEqual({ kept: values, shape: 'array', elements: 12, leftOut: 0 });
    const prefixed = documentOf('').replace('<methodResponse>', '<methodResponse xmlns:ex="http://x/">').replace('utf-8', 'UTF-8');
    expect(whole(`\ufeff${prefixed}<!-- end -->`).refused).toBeUndefined();
  });

  it('rewrites ids wherever a path leads, and none elsewhere', () => {
    const read = (found: Value, ids: readonly IdPath[]): unknown => {
      const { kept } = whole(responseText([found]), { ids });
      return (readResponse(documentOf(kept)) as { value: readonly Value[] }).value[0];
    };
    const at = (...paths: string[]): IdPath[] => paths.map((path) => ({ kind: 'system', path }));
    expect(read(8, at('[]'))).toBe(500_000_008);
    expect(read({ id: 1, systems: [{ id: 1, systemId: 2 }] }, at('[].systems[].systemId'))).toEqual({
      id: 1,
      systems: [{ id: 1, systemId: 500_000_002 }],
    });
    expect(read({ a: 1, b: '2', c: 'x', d: null, e: [4] }, at('[].*'))).toEqual({
      a: 500_000_001,
      b: '500000002',
      c: 'x',
      d: null,
      e: [4],
    });
    expect(whole(responseText(6), { ids: at('') })).toMatchObject({ kept: '<int>500000006</int></value>', shape: 'single' });
    // Clients decode a name that is written with references.
    const hidden = systemText(1).replace('<name>id</name>', '<name>&#105;&#x64;</name>');
    expect(whole(documentOf(hidden)).kept).toContain('<i4>500000001</i4>');
    expect(whole(documentOf(systemText(1).replace('<i4>1</i4>', '1'))).kept).toContain('<value>500000001</value>');
  });

  it('refuses an unknown id that cannot be left out', () => {
    expect(whole(documentOf(systemText(3)), { unknown: 'fail' }).refused).toBe('unknown-id: system 3 of the server is not known to Muster');
    expect(whole(responseText({ id: 3 }), { ids: [{ kind: 'system', path: '.id' }] }).refused).toMatch(/^unknown-id/);
  });

  it('says of a fault what it is', () => {
    const fault =
      '<methodResponse><fault><value><struct><member><name>faultCode</name><value><int>-210</int></value></member><member><name>faultString</name><value><string>no such channel</string></value></member></struct></value></fault></methodResponse>';
    expect(everyByte(fault).refused).toBe('fault: no such channel');
    expect(whole(fault.slice(0, -30)).refused).toMatch(/^malformed: its fault cannot be read/);
  });
});
