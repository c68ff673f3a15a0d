import type { Alias, Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { depthMax, Fault, noKey, tooDeep, twice } from './fault.ts';
import type { Mark } from './flow.ts';

/** How many values a text with aliases may make: more than any text of the size that is read here has without them. */
const valuesMax = 200_000;

type Yaml = typeof import('yaml');
/**
 * One reading: the package, the aliases with their sources, the nodes around the present one, and how many values there
 * are.
 */
type Reading = {
  readonly yaml: Yaml;
  /** The source of each alias: the last node before it with its anchor. */
  readonly sources: ReadonlyMap<Node, Node>;
  readonly within: Set<Node>;
  readonly mark: Mark;
  values: number;
};

/**
 * Reads any YAML 1.2 by the `yaml` package, which is loaded when needed. Throws a Fault at the first thing that is
 * wrong.
 */
export async function readGeneral(text: string, mark: Mark): Promise<unknown> {
  const yaml = await import('yaml');
  // The package compares every key with every other to see that they differ; below, a set does.
  const document = parsed(() => yaml.parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'error' }));
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong) throw /call stack/.test(wrong.message) ? tooDeep(wrong.pos[0]) : new Fault(wrong.pos[0], firstLine(wrong.message));
  if (!document.contents) throw new Fault(0, 'the text has no content');
  return valueIn({ yaml, sources: sourcesIn(yaml, document), within: new Set(), mark, values: 0 }, document.contents, 0);
}

/** The package reads nested things by recursion, so that deep nesting exceeds its stack. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(0);
    throw error;
  }
}

/** One walk over the document for all aliases; the package would walk for each. */
function sourcesIn(yaml: Yaml, document: Document.Parsed): Map<Node, Node> {
  const anchored = new Map<string, Node>();
  const sources = new Map<Node, Node>();
  yaml.visit(document, {
    Node: (_, node) => {
      if ('anchor' in node && node.anchor) anchored.set(node.anchor, node);
    },
    Alias: (_, alias) => {
      const source = anchored.get(alias.source);
      if (source) sources.set(alias, source);
    },
  });
  return sources;
}

const firstLine = (message: string): string => message.split('\n')[0]!.slice(0, 200);
const startOf = (node: Node | null | undefined): number => node?.range?.[0] ?? 0;

function valueIn(reading: Reading, node: Node | null, depth: number): unknown {
  if (node === null) return null;
  const { yaml } = reading;
  if (++reading.values > valuesMax) throw new Fault(startOf(node), `aliases make more than ${valuesMax} values of this text`);
  if (depth > depthMax) throw tooDeep(startOf(node));
  if (yaml.isAlias(node)) return aliased(reading, node, depth);
  if (yaml.isScalar(node)) return scalar(node.value, node);
  if (reading.within.has(node)) throw new Fault(startOf(node), 'this anchor contains itself');
  reading.within.add(node);
  const value = yaml.isMap(node) ? entries(reading, node, depth) : items(reading, node as YAMLSeq, depth);
  reading.within.delete(node);
  return value;
}

function scalar(value: unknown, node: Node): unknown {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  throw new Fault(startOf(node), 'this is neither a string, a number, a boolean nor null');
}

function aliased(reading: Reading, alias: Alias, depth: number): unknown {
  const source = reading.sources.get(alias);
  if (!source) throw new Fault(startOf(alias), `no anchor ${alias.source} comes before its alias`);
  if (reading.within.has(source)) throw new Fault(startOf(alias), `the alias ${alias.source} is within its own anchor`);
  return valueIn(reading, source, depth);
}

function items(reading: Reading, list: YAMLSeq, depth: number): unknown[] {
  const values: unknown[] = [];
  for (const item of list.items as Node[]) {
    reading.mark(values, values.length, startOf(item));
    values.push(valueIn(reading, item, depth + 1));
  }
  return values;
}

function entries(reading: Reading, map: YAMLMap, depth: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
    const name = keyOf(reading, key);
    if (name === '__proto__') throw noKey(startOf(key));
    if (Object.hasOwn(values, name)) throw twice(startOf(key), name);
    reading.mark(values, name, startOf(key));
    values[name] = valueIn(reading, value, depth + 1);
  }
  return values;
}

function keyOf({ yaml }: Reading, key: Node): string {
  if (yaml.isScalar(key) && key.value !== null && typeof key.value !== 'object') return String(key.value);
  throw new Fault(startOf(key), 'a key is a word or a string');
}
