import { contract } from '../../../../../lib/contract.ts';
import type { ServiceResultView, ServiceView } from '../../../../../lib/services/view-routes.ts';
import type { Cli } from '../../../cli.ts';
import { Failure } from '../../../exit-codes.ts';
import { lookUntil } from '../../mero/waiting.ts';

/** Which service is meant. */
export type Meant = Pick<ServiceView, 'zone' | 'type'> & { readonly node: string };

/** A service as it is now; undefined where none of its type is registered on that node. */
export async function serviceNow(cli: Cli, params: Meant): Promise<ServiceView | undefined> {
  try {
    return (await cli.call(contract.getService, { params })).body;
  } catch (error) {
    if (error instanceof Failure && error.problem === 'unknown-service') return undefined;
    throw error;
  }
}

/**
 * Waits for the answer to a question; undefined when none came in time, or when another instance has replaced the one
 * that was asked.
 */
export async function answerTo(
  cli: Cli,
  meant: Meant,
  { ask, waitMs }: { readonly ask: string; readonly waitMs: number },
): Promise<ServiceResultView | undefined> {
  const resultOf = (service: ServiceView | undefined) => service?.results.find((one) => one.ask === ask);
  const { now } = await lookUntil(cli, () => serviceNow(cli, meant), {
    timeoutMs: waitMs,
    ends: (service) => (service?.asks.some(({ id }) => id === ask) ? undefined : 'ended'),
    progressText: () => undefined,
  });
  return resultOf(now);
}
