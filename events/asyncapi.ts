import { buses, type PublishedType, published } from './catalogue.ts';
import { type EventName, envelopeSchema, eventName, ingestSchemas, type JsonSchema, reportedAs } from './json-schemas.ts';

/** The parts that the catalogue does not have: a sentence on each type, and its frozen example by name. */
export type CatalogueTexts = {
  readonly summaries: Readonly<Record<string, string>>;
  readonly examples: Readonly<Record<EventName, object>>;
};

const stream = '/api/v1/events';

/**
 * The events of a deployment as an AsyncAPI 3.0 document: the events that leave on the bus and in the stream, and the
 * reports that may come in.
 */
export function asyncApi(texts: CatalogueTexts): object {
  const out = Object.keys(published) as PublishedType[];
  const ingest = ingestSchemas();
  return {
    asyncapi: '3.0.0',
    info: { title: 'Muster events', version: '1', license: { name: 'Apache-2.0' }, description },
    defaultContentType: 'application/json',
    channels: {
      [buses.out.name]: {
        address: buses.out.name,
        title: 'Conclusions',
        description: `The EventBridge bus that events leave on: source \`${buses.out.source}\`, detail-type the event's type, detail the envelope.`,
        messages: references(out),
      },
      stream: {
        address: stream,
        title: 'Conclusions, as a stream',
        description: `Embedded host only: server-sent events at \`GET ${stream}\`, \`event\` the type and \`data\` the envelope; resumable by Last-Event-ID.`,
        messages: references(out),
      },
      [buses.ingest.name]: {
        address: buses.ingest.name,
        title: 'Reports of automation',
        description: `The EventBridge bus that reports come in by: source \`${buses.ingest.source}\`, detail-type the report's type, detail the report. Muster trusts every sender that may put events on this bus, and only for these types.`,
        messages: references(Object.keys(ingest), 'report-'),
      },
    },
    operations: {
      publish: {
        action: 'send',
        channel: { $ref: `#/channels/${buses.out.name}` },
        summary: 'A conclusion of Muster, published once it is committed',
      },
      stream: { action: 'send', channel: { $ref: '#/channels/stream' }, summary: 'The same conclusions, on the embedded host' },
      report: { action: 'receive', channel: { $ref: `#/channels/${buses.ingest.name}` }, summary: 'A report that automation may send' },
    },
    components: {
      messages: {
        ...Object.fromEntries(out.map((type) => [type, publishedMessage(type, texts)])),
        ...Object.fromEntries(Object.entries(ingest).map(([type, payload]) => [`report-${type}`, reportMessage(type, payload, texts)])),
      },
    },
  };
}

const description = `Reports are claims, in the present tense. Events are conclusions of Muster, in the past tense. Muster publishes an event at least once, after it
has committed the row that records it; the id is the same on every repeat. Those of the last 24 hours are in the journal, in order: \`GET /api/v1/changes\`. \`eventseq\` counts the events of a subject; to fill a gap, call
\`GET /api/v1/history/{kind}/{id}?after=\`.`;

const references = (types: readonly string[], prefix = ''): Record<string, object> =>
  Object.fromEntries(types.map((type) => [`${prefix}${type}`, { $ref: `#/components/messages/${prefix}${type}` }]));

const publishedMessage = (type: PublishedType, { summaries, examples }: CatalogueTexts): object => ({
  name: type,
  title: type,
  summary: summaries[type],
  payload: envelopeSchema(type),
  examples: [{ payload: examples[eventName(type, published[type])] }],
});

const reportMessage = (type: string, payload: JsonSchema, { summaries }: CatalogueTexts): object => ({
  name: type,
  title: type,
  summary: summaries[reportedAs(type)],
  payload,
});
