import { type Field, fields, type ValueKind, writtenAs } from '../../lib/search/language/fields.ts';
import { table } from './source.ts';

/** How a page names what the values of a field are. */
const kinds: Readonly<Record<ValueKind, string>> = {
  name: 'glob',
  keyword: 'glob',
  open: 'glob or number',
  hex: 'hex digits',
  mac: 'hex digits',
  choice: 'word',
  number: 'number',
  bytes: 'size',
  moment: 'date or age',
  network: 'address',
};

const mark = /<!-- fields -->.*?<!-- \/fields -->/s;

/**
 * A page with the table of the fields of queries between the marks `<!-- fields -->` and `<!-- /fields -->`. The rest
 * of the page is written by hand. Throws an Error for a page without the marks.
 */
export function withFields(text: string): string {
  if (!mark.test(text)) throw new Error('the page has no place for the fields: put <!-- fields --> and <!-- /fields --> into it');
  const rows = fields.map((field) => [
    code(writtenAs(field)),
    writtenKind(field),
    `${field.says}${field.folds ? '' : caseOf(field)}`,
    alsoOf(field),
    code(field.example),
  ]);
  return text.replace(mark, () => `<!-- fields -->\n${table(['field', 'value', 'is', 'also', 'example'], rows)}<!-- /fields -->`);
}

const code = (text: string): string => `\`${text}\``;
const caseOf = ({ kind }: Field): string => (kind === 'keyword' ? '. Upper and lower case differ' : '');
const alsoOf = ({ aliases }: Field): string => aliases.map((alias) => code(`${alias}:`)).join(' ');

function writtenKind({ kind, values }: Field): string {
  const words = values.map(({ value }) => code(value)).join(' ');
  if (kind === 'choice') return words;
  return words === '' ? kinds[kind] : `${words} or ${kinds[kind]}`;
}
