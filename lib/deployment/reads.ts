import type { EpochMs } from '../core/time.ts';
import { readRow } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import { type Deployment, deploymentRef, intervalOf } from './deployment.ts';

type CachedDeployment = { deployment: Deployment | undefined; readAt: EpochMs | undefined };

/** The deployment's row as this environment last read it, at most as old as a cached zone may be. */
export async function deploymentOf(shell: Shell): Promise<Deployment | undefined> {
  const cache = cached<CachedDeployment>(shell, 'deployment', () => ({ deployment: undefined, readAt: undefined }));
  const now = shell.now();
  if (cache.readAt === undefined || now - cache.readAt > shell.settings.zoneMaxAgeMs) {
    cache.deployment = (await readRow(shell, deploymentRef))?.body;
    cache.readAt = now;
  }
  return cache.deployment;
}

/** How many zones the deployment had when this environment last read its row; 0 when it never did. */
export const zonesKnown = (shell: Shell): number =>
  Object.keys(
    cached<CachedDeployment>(shell, 'deployment', () => ({ deployment: undefined, readAt: undefined })).deployment?.admitted ?? {},
  ).length;

/** Caches the row that this environment has just changed: its next answers use it. */
export function rememberDeployment(shell: Shell, deployment: Deployment | undefined): void {
  const cache = cached<CachedDeployment>(shell, 'deployment', () => ({ deployment: undefined, readAt: undefined }));
  cache.deployment = deployment;
  cache.readAt = shell.now();
}

/** The heartbeat interval that nodes are assigned now, before jitter, in ms. */
export const intervalNow = async (shell: Shell): Promise<number> => intervalOf(await deploymentOf(shell), shell.settings.beatMinMs);

/** The fastest heartbeat, in ms: the measure of clients' watches. */
export const heartbeatMinNow = async (shell: Shell): Promise<number> => (await deploymentOf(shell))?.beatMinMs ?? shell.settings.beatMinMs;
