import { relative, resolve } from 'node:path';

/**
 * Where a host was started, and what it is: the project's own folder, the folder of whoever started it, its address and
 * its state folder.
 */
export type Started = { readonly root: string; readonly cwd: string; readonly url: string; readonly home: string };

/** Where programs look for a host, and for the key of its operator, unless they are told. */
const usual = { url: 'http://127.0.0.1:8080', home: '.muster' } as const;

/**
 * What `npm start` says to try next: commands for another terminal in the project's own folder, where alone
 * `npx muster` is this Muster, with what they have to be told first where the host is not at the usual place. `link`
 * signs somebody else in; without one it says how one is made.
 */
export function tryNext({ root, cwd, url, home }: Started, link: string | undefined): string {
  const state = relative(root, resolve(cwd, home)).startsWith('..') ? resolve(cwd, home) : relative(root, resolve(cwd, home)) || '.';
  const told = [
    ...(url === usual.url ? [] : [`MUSTER_ENDPOINT=${url}`]),
    ...(state === usual.home ? [] : [`MUSTER_HOME=${inShell(state)}`]),
  ];
  return `  Try next, in ${root === cwd ? 'this folder' : root}, in another terminal:${told.length > 0 ? `\n    export ${told.join(' ')}` : ''}
    npx muster status                                 the deployment at a glance
    npx muster-agent --fqdn node1.example.test        make this machine a node, once it is admitted:
    npx muster node admit node1.example.test
    npx muster-client --fqdn web1.example.test        make it a client system, too
    npx muster onboarding list                        who waits to be accepted
    sed 's/^/authorization: Bearer /' ${inShell(`${state}/operator.key`)} | curl -H @- ${url}/api/v1/openapi.json

  Whoever may read the state folder is its operator. To sign somebody else in, once, within 10 min:
    ${link === undefined ? 'npx muster login --link' : `${link}\n  They give it to \`muster login -\`, which asks for it.`}`;
}

/** A word as a shell reads it. */
const inShell = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
