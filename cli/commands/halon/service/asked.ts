import { contract } from '../../../../lib/api/contract.ts';
import type { ServiceResultView, ServiceView } from '../../../../lib/api/service-views.ts';
import type { Cli } from '../../../cli.ts';
import { Failure } from '../../../exit-codes.ts';

/** Which service is meant. */
export type Meant = Pick<ServiceView, 'zone' | 'type'> & { readonly node: string };

/** How often it is looked whether an answer has come. */
const lookMs = 500;

/** A service as it is now; undefined where none of its type is registered on that node. */
export async function serviceNow(cli: Cli, params: Meant): Promise<ServiceView | undefined> {
  try {
    return (await cli.call(contract.getService, { params })).body;
  } catch (error) {
    if (error instanceof Failure && error.problem === 'unknown-service') return undefined;
    throw error;
  }
}

/** Waits for the answer to a question; undefined when none came by the time that it was of use. */
export async function answerTo(
  cli: Cli,
  meant: Meant,
  { ask, until }: { readonly ask: string; readonly until: string },
): Promise<ServiceResultView | undefined> {
  for (;;) {
    const service = await serviceNow(cli, meant);
    const result = service?.results.find((one) => one.ask === ask);
    if (result || !service || cli.terminal.now() > Date.parse(until)) return result;
    await cli.terminal.sleep(lookMs);
  }
}
