import { relative, resolve } from 'node:path';

/** A started host: the project's own folder, the folder in which it was started, its address and its state folder. */
export type Started = { readonly root: string; readonly cwd: string; readonly url: string; readonly home: string };

/** The address and the state folder that programs use by default. */
const usual = { url: 'http://127.0.0.1:8080', home: '.muster' } as const;

/**
 * The commands that `npm start` suggests, for another terminal in the project's own folder, because only there
 * `npx muster` is this Muster. They begin with the variables to export where the host is not at the usual place. Before
 * them comes `link`, which opens the page and signs a person in there; without one the text tells how to make one.
 */
export function tryNext({ root, cwd, url, home }: Started, link: string | undefined): string {
  const state = relative(root, resolve(cwd, home)).startsWith('..') ? resolve(cwd, home) : relative(root, resolve(cwd, home)) || '.';
  const settings = [
    ...(url === usual.url ? [] : [`MUSTER_ENDPOINT=${url}`]),
    ...(state === usual.home ? [] : [`MUSTER_HOME=${inShell(state)}`]),
  ];
  const page =
    link === undefined
      ? `  The page is at ${url}/ui/. A link that signs a person in there, or on the command line:\n    npx muster login --link`
      : `  Open the page, which this link signs you in to, once, within 10 min:\n    ${link}`;
  return `${page}

  Try next, in ${root === cwd ? 'this folder' : root}, in another terminal:${settings.length > 0 ? `\n    export ${settings.join(' ')}` : ''}
    npx muster status                                 the deployment at a glance
    npx muster-agent --fqdn node1.example.test        make this machine a node, once it is admitted:
    npx muster node admit node1.example.test
    npx muster-client --fqdn web1.example.test        make it a client system, too
    npx muster onboarding list                        machines that wait to be accepted
    sed 's/^/authorization: Bearer /' ${inShell(`${state}/operator.key`)} | curl -H @- ${url}/api/v1/openapi.json

  Every user who can read the state folder is its operator. Another link, for another person: npx muster login --link`;
}

/** A word as a shell reads it. */
const inShell = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
