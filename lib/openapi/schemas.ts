import * as z from 'zod';
import { Problem } from '../api/problem.ts';
import { Explanation, HistoryView } from '../assembly/explain/routes.ts';
import { Settings } from '../assembly/status-routes.ts';
import { SystemView } from '../clients/admin-routes.ts';
import { Fingerprint, Fqdn, NodeId, Tag, ZoneName } from '../core/ids.ts';
import { DeadLetterView, DeadLetterWhole } from '../dead-letters/routes.ts';
import { NodeView } from '../nodes/admin-routes.ts';
import { ZoneView } from '../zones/routes.ts';

/** A JSON Schema, as far as this module looks into it. */
export type Schema = { readonly [keyword: string]: unknown };

/**
 * The schemas that have a name of their own in the document. A reader meets each once, and generated clients get one
 * type for it.
 */
const named = {
  Node: NodeView,
  System: SystemView,
  Zone: ZoneView,
  DeadLetter: DeadLetterView,
  DeadLetterWhole,
  Explanation,
  HistoryEntry: HistoryView,
  Settings,
  Problem,
} as const satisfies Record<string, z.ZodType>;

/** One label of a domain name, in either case. */
const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** Facts about the ids that their schemas cannot give, because transforms hide them. */
const idFacts: readonly (readonly [z.ZodType, Schema])[] = [
  [
    Fingerprint,
    { description: 'SHA-256 of a public key in hex, with or without colons', pattern: '^([0-9a-fA-F]{2}:?){31}[0-9a-fA-F]{2}$' },
  ],
  [
    Fqdn,
    {
      description: 'The name of a host, as it calls itself; a single label for a storage host, a fully qualified domain name for any other',
      maxLength: 253,
      pattern: `^(${label}\\.)*(?!\\d+$)${label}$`,
    },
  ],
  [NodeId, { description: 'n and the first 16 hex digits of the SHA-256 of the key it first joined with' }],
  [ZoneName, { description: 'The name of a zone' }],
  [Tag, { description: 'A tag, group or label' }],
];

function metadata() {
  const registry = z.registry<{ id?: string; [keyword: string]: unknown }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  for (const [schema, facts] of idFacts) registry.add(schema, facts);
  return registry;
}

/** Turns the contract's schemas into JSON Schema and gathers those that have names. */
export class Schemas {
  readonly #metadata = metadata();
  /** The named schemas met so far, for `components.schemas`. */
  readonly components: Record<string, Schema> = {};

  /** The schema of a body that a caller may send: before defaults and transforms, with unknown fields refused. */
  sent(schema: z.ZodType): Schema {
    return this.#converted(schema, 'input', pruned);
  }

  /** The schema of an answer. Unknown fields are left open, so that one more field is no new version of the API. */
  answered(schema: z.ZodType): Schema {
    return this.#converted(schema, 'output', (json) => {
      pruned(json);
      if (json['additionalProperties'] === false) delete json['additionalProperties'];
    });
  }

  #converted(schema: z.ZodType, io: 'input' | 'output', override: (json: Record<string, unknown>) => void): Schema {
    const converted = z.toJSONSchema(schema, { io, metadata: this.#metadata, override: ({ jsonSchema }) => override(jsonSchema) });
    const { $schema: _dialect, $defs = {}, ...rest } = referring(converted) as { $defs?: Record<string, Schema> } & Record<string, unknown>;
    for (const [id, definition] of Object.entries($defs)) this.components[id] = withoutId(definition);
    return rest['id'] === undefined ? rest : this.#asComponent(String(rest['id']), rest);
  }

  #asComponent(id: string, schema: Schema): Schema {
    this.components[id] = withoutId(schema);
    return { $ref: `#/components/schemas/${id}` };
  }
}

/**
 * Leaves out rules that are not ours: the bounds of every whole number in JavaScript, and the pattern by which zod
 * reads a moment, except its end, which requires UTC. Replaces rules that few readers of schemas understand.
 */
function pruned(json: Record<string, unknown>): void {
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  if (json['format'] === 'date-time') json['pattern'] = 'Z$';
  if (Array.isArray(json['prefixItems'])) {
    Object.assign(json, ofSoMany(json['prefixItems']));
    delete json['prefixItems'];
  }
  const [, min, max] = printableCharacters.exec(String(json['pattern'] ?? '')) ?? [];
  if (min === undefined) return;
  delete json['pattern'];
  Object.assign(json, {
    minLength: Number(min),
    maxLength: Number(max),
    description: 'Printable characters: no control characters, no line separators',
  });
}

/**
 * A list of a fixed number of items, each of which is one of these kinds. Only the contract defines which kind has
 * which place.
 */
function ofSoMany(items: readonly Schema[]): Schema {
  const kinds = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  const length = { minItems: items.length, maxItems: items.length };
  return kinds.length === 0 ? length : { items: kinds.length === 1 ? kinds[0] : { anyOf: kinds }, ...length };
}

/**
 * A text of printable characters of a limited length. Properties of Unicode are not among the expressions that all
 * readers of schemas support.
 */
const printableCharacters = /^\^\[\^(?:\\p\{\w+\})+\]\{(\d+),(\d+)\}\$$/;

const withoutId = ({ id: _id, ...schema }: Schema): Schema => schema;

/** The same with references into the document's components, in place of the schema's own definitions. */
function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : referring(inner),
    ]),
  );
}
