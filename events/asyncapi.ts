import { buses, type PublishedType, published } from './catalogue.ts';
import { type EventName, envelopeSchema, eventName, ingestSchemas, type JsonSchema, reportedAs } from './json-schemas.ts';

/** What the catalogue does not hold: a sentence on each type, and its frozen example by name. */
export type Told = { readonly summaries: Readonly<Record<string, string>>; readonly examples: Readonly<Record<EventName, object>> };

const stream = '/api/v1/events';

/**
 * The events of a deployment as an AsyncAPI 3.0 document: what goes out on the bus and in the stream, and what may come
 * in.
 */
export function asyncApi(told: Told): object {
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
        description: `The EventBridge bus that reports come in by: source \`${buses.ingest.source}\`, detail-type the report's type, detail the report. Whoever may put events there is trusted, and only for these.`,
        messages: references(Object.keys(ingest), 'report-'),
      },
    },
    operations: {
      publish: {
        action: 'send',
        channel: { $ref: `#/channels/${buses.out.name}` },
        summary: 'What Muster concluded, once it is committed',
      },
      stream: { action: 'send', channel: { $ref: '#/channels/stream' }, summary: 'The same, on the embedded host' },
      report: { action: 'receive', channel: { $ref: `#/channels/${buses.ingest.name}` }, summary: 'What automation may claim' },
    },
    components: {
      messages: {
        ...Object.fromEntries(out.map((type) => [type, publishedMessage(type, told)])),
        ...Object.fromEntries(Object.entries(ingest).map(([type, payload]) => [`report-${type}`, reportMessage(type, payload, told)])),
      },
    },
  };
}

const description = `Reports are claims, in the present tense; events are what Muster concluded, in the past tense. An event is published once the row that
says so is committed, at least once, and its id is the same on every repeat. \`eventseq\` counts the events of a subject: a hole is filled by
\`GET /api/v1/history/{kind}/{id}?after=\`.`;

const references = (types: readonly string[], prefix = ''): Record<string, object> =>
  Object.fromEntries(types.map((type) => [`${prefix}${type}`, { $ref: `#/components/messages/${prefix}${type}` }]));

const publishedMessage = (type: PublishedType, { summaries, examples }: Told): object => ({
  name: type,
  title: type,
  summary: summaries[type],
  payload: envelopeSchema(type),
  examples: [{ payload: examples[eventName(type, published[type])] }],
});

const reportMessage = (type: string, payload: JsonSchema, { summaries }: Told): object => ({
  name: type,
  title: type,
  summary: summaries[reportedAs(type)],
  payload,
});
