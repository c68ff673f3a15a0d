import type { Ask } from '../../metadata/kinds.ts';
import { Labels } from '../kind.ts';

/**
 * Those of some channels that no project has built, by their labels: a server names what it builds
 * PROJECT-ENVIRONMENT-LABEL. That is made by a build there, and not copied.
 */
export async function notBuilt(ask: Ask, labels: readonly string[]): Promise<readonly string[]> {
  const prefixes: string[] = [];
  for (const { label: projectLabel } of await ask('contentmanagement.listProjects', {}, Labels)) {
    if (!labels.some((label) => label.startsWith(`${projectLabel}-`))) continue;
    for (const { label } of await ask('contentmanagement.listProjectEnvironments', { projectLabel }, Labels))
      prefixes.push(`${projectLabel}-${label}-`);
  }
  return labels.filter((label) => !prefixes.some((prefix) => label.startsWith(prefix)));
}
