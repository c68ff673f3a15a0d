import * as z from 'zod';
import type { Ask } from '../ask.ts';

const Labels = z.array(z.object({ label: z.string() }));

/**
 * Whether a channel was built by a project, by its label: a server names it PROJECT-ENVIRONMENT-LABEL. It is made by a
 * build there, and not copied.
 */
export async function builtBy(ask: Ask): Promise<(label: string) => boolean> {
  const prefixes: string[] = [];
  for (const { label: projectLabel } of await ask('contentmanagement.listProjects', {}, Labels))
    for (const { label } of await ask('contentmanagement.listProjectEnvironments', { projectLabel }, Labels))
      prefixes.push(`${projectLabel}-${label}-`);
  return (label) => prefixes.some((prefix) => label.startsWith(prefix));
}
