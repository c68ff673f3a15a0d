import { factsJsonSchema } from '../../lib/mero/facts/facts.ts';
import { openApi } from '../../lib/openapi/openapi.ts';
import { contentKindsPage } from './content-kinds.ts';
import { costPage } from './cost.ts';
import { withCounts } from './counts.ts';
import { asyncApiDocument, eventsPage, schemaFiles } from './events.ts';
import { gatewayMethodsPage } from './gateway-methods.ts';
import { glossaryPage } from './glossary.ts';
import { invariantsPage } from './invariants.ts';
import { problemsPage } from './problems.ts';
import { withFields } from './search.ts';
import { filesIn, textOf } from './source.ts';
import { stateMachinesPage } from './state-machines.ts';
import { tablePage } from './table.ts';
import { topologyPage } from './topology.ts';
import { uiRoutes } from './ui-routes.ts';

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Every generated file under docs/ with its content, all made from the code as it is now. */
export const generated = (): Map<string, string> =>
  new Map([
    ['openapi.json', json(openApi())],
    ['asyncapi.json', json(asyncApiDocument())],
    ...Object.entries(schemaFiles()).map(([file, schema]): [string, string] => [`schemas/${file}`, json(schema)]),
    ['schemas/facts.json', json(factsJsonSchema())],
    ['events.md', eventsPage()],
    ['state-machines.md', stateMachinesPage()],
    ['table.md', tablePage()],
    ['problems.md', problemsPage()],
    ['topology.md', topologyPage()],
    ['invariants.md', invariantsPage()],
    ['cost.md', costPage()],
    ['glossary.md', glossaryPage()],
    ['content-kinds.md', contentKindsPage()],
    ['gateway-methods.md', gatewayMethodsPage()],
    ['deploy.md', withCounts(textOf('docs/deploy.md'))],
    ['search.md', withFields(textOf('docs/search.md'))],
    ['../ui/api/routes.ts', uiRoutes()],
  ]);

/**
 * What differs between docs/ and {@link generated}: files that are missing, that differ, or that nothing generates any
 * more.
 */
export function stale(): string[] {
  const wanted = generated();
  const present = ['', 'schemas/', '../ui/api/'].flatMap((folder) => filesOrNone(`docs/${folder}`).map((file) => folder + file));
  const left = present.filter((file) => file.startsWith('schemas/') && !wanted.has(file));
  return [
    ...[...wanted].filter(([file, text]) => !present.includes(file) || textOf(`docs/${file}`) !== text).map(([file]) => file),
    ...left,
  ];
}

const filesOrNone = (folder: string): string[] => {
  try {
    return filesIn(folder);
  } catch {
    return [];
  }
};
