import { describe, expect, it } from 'vitest';
import type { MergeLimits } from '../../../../lib/uyuni/merge/limits.ts';
import { cutAt, documentOf, systemText } from './documents.ts';
import { everyByte, scan, string, whole } from './scanned.ts';

/** Why a document with these elements is refused, in one part and byte by byte alike. */
function refusal(elements: string, limits: Partial<MergeLimits> = {}): string {
  const document = documentOf(systemText(1) + elements);
  const [atOnce, byBytes] = [whole(document, { limits }), everyByte(document, { limits })];
  expect(byBytes.kept).toBe(atOnce.kept);
  expect(atOnce.kept.startsWith(systemText(1).replace('>1<', '>500000001<'))).toBe(true);
  expect(byBytes.refused?.split(':')[0]).toBe(atOnce.refused?.split(':')[0]);
  return atOnce.refused ?? 'nothing';
}

describe('an answer that is no XML-RPC', () => {
  it.each([
    ['a tag that closes another', '<value><string>a</int></value>', 'malformed: </int> is not allowed where string is read'],
    ['a tag in a text', string('<b>x</b>'), 'malformed: <b> is not allowed where string is read'],
    ['a type that is none', '<value><float>1</float></value>', 'malformed: <float> is not allowed where value is read'],
    ['text beside a type', '<value>x<int>1</int></value>', 'malformed: there is text beside a type'],
    ['text between members', '<value><struct>x</struct></value>', 'malformed: there is text where struct is read'],
    [
      'a member without a name',
      '<value><struct><member><value/></member></struct></value>',
      'malformed: <value/> is not allowed where member is read',
    ],
    ['a name with elements', '<value><struct><member><name><b/></name>', 'malformed: the name of a member holds something else than text'],
    ['an attribute', '<value><string a="b">x</string></value>', 'malformed: <string a="b">x</string></value> is no tag of XML-RPC'],
    ['a word for a number', '<value><int>many</int></value>', 'malformed: “many” is no int'],
    ['no number', '<value><int></int></value>', 'malformed: “” is no int'],
    ['another boolean', '<value><boolean>true</boolean></value>', 'malformed: “true” is no boolean'],
    ['a double that is not finite', '<value><double>NaN</double></value>', 'malformed: “NaN” is no double'],
    ['bytes that are not base64', '<value><base64>a*b</base64></value>', 'malformed: “a*b” is no base64'],
    ['the end of CDATA in a text', string('a]]>b'), 'malformed: a text holds ]]>'],
    ['a comment with --', '<value><!-- a -- b --></value>', 'malformed: a comment holds --'],
    ['a reference to a character that there is not', string('&#0;'), 'malformed: &#0; is a character that XML has not'],
    ['a control character', string('a\u0007b'), 'malformed: it holds bytes that are not UTF-8, or no characters of XML'],
    ['an entity of its own', string('&lol9;'), 'refused: &lol9;</stri is no reference of XML without declarations'],
    ['an ampersand', string('R&D'), 'refused: &D</string>< is no reference of XML without declarations'],
    ['a processing instruction', '<?php x ?>', 'refused: a processing instruction is not allowed'],
    ['a declaration', '<!ENTITY lol "lol">', 'refused: a declaration is not allowed'],
    ['CDATA between values', '<![CDATA[x]]>', 'refused: CDATA is not allowed outside of a text'],
    ['a comment in an id', systemText(2).replace('<i4>2', '<i4>2<!-- -->'), 'refused: there is a comment or CDATA in an id'],
  ])('is refused for %s, and what was complete before is kept', (_, elements, why) => {
    expect(refusal(elements)).toBe(why);
  });

  it('is refused for bytes that are not UTF-8, up to which it is read, however they come', () => {
    const [before, after] = [
      Buffer.from(documentOf(`${systemText(1)}${string('ü')}`).replace(/<\/data>.*/s, '')),
      Buffer.from(string('x')),
    ];
    for (const bad of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xef, 0xbf, 0xbf], [0xf0, 0x9d]]) {
      const bytes = Buffer.concat([before, Buffer.from('<value><string>'), Buffer.from(bad), Buffer.from('</string></value>'), after]);
      const byBytes = scan(Array.from(bytes, (byte) => Buffer.from([byte])));
      expect(byBytes.refused).toBe('malformed: it holds bytes that are not UTF-8, or no characters of XML');
      expect(scan([bytes])).toEqual(byBytes);
      expect(byBytes.elements).toBe(2);
    }
  });

  it('is refused for its encoding, a DOCTYPE, or another document', () => {
    const latin = documentOf('').replace('UTF-8', 'ISO-8859-1');
    expect(whole(latin).refused).toBe('refused: its encoding is ISO-8859-1 instead of UTF-8');
    expect(scan([Buffer.from(`\ufeff${documentOf('')}`, 'utf16le')]).refused).toMatch(/^refused: its encoding is UTF-16|^malformed/);
    const bomb = documentOf(string('&lol;')).replace('<methodResponse>', '<!DOCTYPE x [<!ENTITY lol "lol">]><methodResponse>');
    expect(everyByte(bomb).refused).toBe('refused: a DOCTYPE is not allowed');
    expect(whole('<html><body>502</body></html>').refused).toBe('malformed: it does not begin as an answer of XML-RPC');
    expect(whole('').refused).toBe('cut-off: it is empty');
    expect(whole(`${documentOf('')}<more/>`).refused).toBe('malformed: there is something else after the value');
    expect(whole(documentOf('') + 'x'.repeat(5_000)).refused).toBe('malformed: there is more after the value');
  });

  it('is cut off at every byte but the last, and keeps the elements that were complete', () => {
    const document = documentOf(systemText(1) + string('ü&amp;€') + systemText(2)).trimEnd();
    const bytes = Buffer.from(document);
    const ends = [systemText(1), string('ü&amp;€'), systemText(2)].map((one) => bytes.indexOf(one) + Buffer.byteLength(one));
    for (let end = 0; end < bytes.length; end++) {
      const { refused, elements } = scan([bytes.subarray(0, end)]);
      expect(refused).toMatch(/^cut-off|^malformed: it does not begin/);
      expect(elements).toBe(ends.filter((one) => one <= end).length);
    }
    expect(scan([bytes])).toMatchObject({ elements: 3 });
  });
});

describe('the limits of a scanner', () => {
  const deep = (depth: number): string => `${'<value><array><data>'.repeat(depth)}${'</data></array></value>'.repeat(depth)}`;

  it('are on depth, names, elements and the whole', () => {
    expect(refusal(deep(63))).toBe('nothing');
    expect(refusal(deep(64))).toBe('nothing');
    expect(refusal(deep(65))).toBe('refused: values lie more than 64 deep');
    expect(refusal(`<value><struct><member><name>${'n'.repeat(1_025)}`)).toBe('too-large: the name of a member is longer than 1024 bytes');
    const large = cutAt(Buffer.from(documentOf(string('x'.repeat(3_000)))), [1_000, 2_000, 2_500]);
    expect(scan(large, { limits: { elementBytesMax: 2_000 } }).refused).toBe('too-large: an element is larger than 2000 bytes');
    expect(whole(documentOf(systemText(1)), { limits: { answerBytesMax: 200 } }).refused).toBe('too-large: it is larger than 200 bytes');
  });

  it('end 10,000 levels, a name of 100 MB and a number of any length early', () => {
    expect(refusal(deep(10_000).slice(0, 30_000))).toBe('refused: values lie more than 64 deep');
    const endless = function* (begin: string): Generator<Uint8Array> {
      yield Buffer.from(documentOf('').replace(/<\/data>.*/s, begin));
      for (let mb = 0; mb < 100; mb++) {
        read++;
        yield Buffer.alloc(1024 * 1024, '1');
      }
    };
    let read = 0;
    expect(scan(endless('<value><struct><member><name>')).refused).toMatch(/^too-large: the name/);
    expect(scan(endless('<value><int>')).refused).toMatch(/^malformed: a text of more than 64 bytes is no int/);
    expect(scan(endless('<value><')).refused).toMatch(/^malformed/);
    expect(scan(endless('<value><string>')).refused).toMatch(/^too-large: an element/);
    expect(read).toBeLessThan(25);
  });

  it('hold for an array of empty values, and for members that are called differently in each element', () => {
    const many = '<value><nil/></value>'.repeat(20_000);
    expect(whole(documentOf(many))).toMatchObject({ elements: 20_000, kept: many });
    const differing = Array.from(
      { length: 3_000 },
      (_, at) => `<value><struct><member><name>n${at}</name><value>x</value></member></struct></value>`,
    ).join('');
    expect(whole(documentOf(differing))).toMatchObject({ elements: 3_000, kept: differing });
  });
});
