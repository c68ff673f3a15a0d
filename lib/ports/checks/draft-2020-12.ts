/** The `$schema` of a schema of draft 2020-12; a schema without `$schema` counts as one. */
const draft = 'https://json-schema.org/draft/2020-12/schema';

const schema = { $ref: '#' };
const schemas = { type: 'array', minItems: 1, items: schema };
const schemasByName = { type: 'object', additionalProperties: schema };
const count = { type: 'integer', minimum: 0 };
const names = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const text = { type: 'string' };
const each = (keywords: readonly string[], by: object) => Object.fromEntries(keywords.map((keyword) => [keyword, by]));
const kinds = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };

/**
 * The schema of schemas, in one piece: the vocabularies core, applicator, unevaluated, validation, meta-data, format
 * and content of https://json-schema.org/draft/2020-12/schema, whose dynamic references all lead back to the whole. As
 * there, keywords that the draft does not know are allowed.
 */
export const schemaOfSchemas = {
  type: ['object', 'boolean'],
  properties: {
    $id: { type: 'string', pattern: '^[^#]*#?$' },
    $schema: { const: draft },
    $anchor: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
    type: { type: ['string', 'array'], items: kinds, minItems: 1, uniqueItems: true, if: text, ...each(['then'], kinds) },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    pattern: { type: 'string', format: 'regex' },
    patternProperties: { ...schemasByName, propertyNames: { format: 'regex' } },
    dependentRequired: { type: 'object', additionalProperties: names },
    required: names,
    ...each(['$defs', 'definitions', 'properties', 'dependentSchemas'], schemasByName),
    ...each(['prefixItems', 'allOf', 'anyOf', 'oneOf'], schemas),
    ...each(['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'], schema),
    ...each(['if', 'then', 'else', 'not', 'contentSchema'], schema),
    ...each(['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'], { type: 'number' }),
    ...each(['maxLength', 'maxItems', 'maxContains', 'maxProperties'], count),
    ...each(['minLength', 'minItems', 'minContains', 'minProperties'], count),
    ...each(['enum', 'examples'], { type: 'array' }),
    ...each(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], { type: 'boolean' }),
    ...each(['$ref', '$comment', 'title', 'description', 'format', 'contentEncoding', 'contentMediaType'], text),
  },
};
