import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBearer } from '../../lib/api/bearer.ts';
import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { operatorFile } from '../../programs/local/host.ts';
import { type Child, hasEnded, outputOf, program, startChild } from './child.ts';

/** The fastest heartbeat in a demo, in ms, so that a viewer sees soon that a node is lost. */
const beatMinMs = 1_000;

/** The control plane of a demo: its address, its API as the operator calls it, and the environment of its commands. */
export type ControlPlane = { readonly endpoint: string; readonly api: ApiClient; readonly env: Readonly<Record<string, string>> };

/**
 * Starts a control plane with its state in this folder and adds it to the children; resolves once it takes calls.
 * `settings` are variables of its environment beside those of every demo.
 */
export async function startControlPlane(
  folder: string,
  children: { add(child: Child): unknown },
  settings: Readonly<Record<string, string>> = {},
): Promise<ControlPlane> {
  const home = join(folder, 'muster');
  const env = { MUSTER_PORT: '0', MUSTER_HOME: home, MUSTER_BEAT_MIN_MS: String(beatMinMs), ...settings };
  const plane = startChild('control plane', [program('programs/local/main.ts')], { env });
  children.add(plane);
  const endpoint = await outputOf(plane, /Muster is at (http:\S+?),/);
  const operatorKey = join(home, operatorFile);
  const api = apiClient(endpoint, { timeoutMs: 10_000, fetching: withBearer(() => readFileSync(operatorKey, 'utf8').trim()) });
  return { endpoint, api, env };
}

/** The first of these that has ended although it should run, with its last output; undefined when all is well. */
export function casualtyAmong(children: Iterable<Child>): string | undefined {
  const ended = [...children].find(hasEnded);
  return ended && `${ended.name} has ended; the last it said:\n${ended.tail()}`;
}
