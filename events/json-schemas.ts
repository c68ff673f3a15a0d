import * as z from 'zod';
import { BusReport, published, reported } from './catalogue.ts';
import { Envelope } from './envelope.ts';

/** A JSON Schema, as far as we read it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A type of the catalogue with its version: `node.joined.v1`. */
export type EventName = `${string}.v${number}`;

type Defined = { readonly shape: { readonly version: z.ZodLiteral<number>; readonly data: z.ZodType } };

/** The name of a type's schema and example. */
export const eventName = (type: string, { shape }: Defined): EventName => `${type}.v${shape.version.value}`;

/**
 * The name of a report where published events are listed beside it: some reports have the name of the event that Muster
 * concludes from them.
 */
export const reportedAs = (type: string): string => (type in published ? `report.${type}` : type);

/** The id of a schema, as in an envelope's `dataschema`. */
export const schemaId = (type: string, { shape }: Defined): string => `muster:${type}:${shape.version.value}`;

/** The schema of `data` in each published event. It is open: an added field is not a new version. */
export const publishedSchemas = (): Record<EventName, JsonSchema> =>
  Object.fromEntries(
    Object.entries(published).map(([type, event]) => [eventName(type, event), { ...identified(type, event), ...opened(event.shape.data) }]),
  );

/**
 * The schema of each report on its queue, with the stamps of the endpoint. It is closed: unknown fields are refused.
 */
export const reportedSchemas = (): Record<EventName, JsonSchema> =>
  Object.fromEntries(
    Object.entries(reported).map(([type, report]) => [
      eventName(reportedAs(type), report),
      { ...identified(reportedAs(type), report), ...closed(report) },
    ]),
  );

/** The schemas of the reports that automation may put on the ingest bus, by type. */
export const ingestSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(BusReport.options.map((report) => [report.shape.type.value, closed(report)]));

/** The envelope of one published event, with its own type, `dataschema` and data. */
export const envelopeSchema = (type: keyof typeof published): JsonSchema => {
  const event: Defined = published[type];
  return opened(Envelope.extend({ type: z.literal(type), dataschema: z.literal(schemaId(type, event)), data: event.shape.data }));
};

const identified = (type: string, defined: Defined): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: schemaId(type, defined),
  title: type,
});

const closed = (schema: z.ZodType): JsonSchema => converted(schema, 'input', pruned);

const opened = (schema: z.ZodType): JsonSchema =>
  converted(schema, 'output', (json) => {
    pruned(json);
    if (json['additionalProperties'] === false) delete json['additionalProperties'];
  });

function converted(schema: z.ZodType, io: 'input' | 'output', override: (json: Record<string, unknown>) => void): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => override(jsonSchema) });
  return json;
}

/** Removes limits that are not Muster's own: JavaScript's bounds of whole numbers, and zod's pattern for timestamps. */
function pruned(json: Record<string, unknown>): void {
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  if (json['format'] === 'date-time') delete json['pattern'];
}
