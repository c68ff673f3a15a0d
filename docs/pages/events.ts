import { asyncApi } from '../../events/asyncapi.ts';
import { published, reported } from '../../events/catalogue.ts';
import { Envelope } from '../../events/envelope.ts';
import { type EventName, publishedSchemas, reportedAs, reportedSchemas } from '../../events/json-schemas.ts';
import { filesIn, madeFrom, table, textOf } from './source.ts';

/** The sentence above each definition in the catalogue's files, by what it goes by: written once, beside the code. */
export const summaries = (): Record<string, string> => ({
  ...sentencesIn('events/published', (type) => type),
  ...sentencesIn('events/reported', reportedAs),
});

const sentencesIn = (folder: string, nameOf: (type: string) => string): Record<string, string> => {
  const found = filesIn(folder).flatMap((file) => [
    ...textOf(`${folder}/${file}`).matchAll(
      /\/\*\*\s+(?:\* )?((?:(?!\*\/).)*?)\s+\*\/\s*export const \w+ = define(?:Event|Report)\(\s*'([a-z.-]+)'/gs,
    ),
  ]);
  return Object.fromEntries(found.map(([, sentence, type]) => [nameOf(type!), sentence!.replace(/\s*\n \* /g, ' ')]));
};

/** The AsyncAPI document with the frozen examples. */
export const asyncApiDocument = (): object => asyncApi({ summaries: summaries(), examples: examples() });

const examples = (): Record<EventName, object> =>
  Object.fromEntries(
    filesIn('events/examples')
      .filter((file) => file !== 'frozen.json')
      .map((file) => [file.replace(/\.json$/, ''), JSON.parse(textOf(`events/examples/${file}`)) as object]),
  );

/** Every JSON Schema of the catalogue by the file it stands in. */
export const schemaFiles = (): Record<string, object> =>
  Object.fromEntries(Object.entries({ ...publishedSchemas(), ...reportedSchemas() }).map(([name, schema]) => [`${name}.json`, schema]));

/** The catalogue for people: what each event says, and what is in it. */
export function eventsPage(): string {
  const sentences = summaries();
  const rows = (
    types: Readonly<Record<string, { shape: { data: { shape: object } } }>>,
    nameOf = (type: string): string => type,
  ): string[][] =>
    Object.entries(types).map(([type, { shape }]) => [
      `\`${type}\``,
      sentences[nameOf(type)] ?? '',
      Object.keys(shape.data.shape)
        .map((field) => `\`${field}\``)
        .join(' ') || 'nothing',
    ]);
  return `${madeFrom('events/')}
# Events

Reports are claims, in the present tense; events are what Muster concluded, in the past tense. How to use them:
[react-to-events.md](react-to-events.md). As documents: [asyncapi.json](asyncapi.json), [schemas/](schemas/).

## Published

Each travels in a CloudEvents 1.0 envelope with ${Object.keys(Envelope.shape)
    .map((field) => `\`${field}\``)
    .join(
      ', ',
    )}. An event is published once the row that says so is committed, at least once, with the same \`id\` on every repeat; \`eventseq\`
counts the events of a subject without holes.

${table(['type', 'says', 'data'], rows(published))}
## Reported

What agents report at the doors, as it stands in the queues: with the door's \`receivedAt\` and the interval it told.

${table(['type', 'says', 'data'], rows(reported, reportedAs))}`;
}
