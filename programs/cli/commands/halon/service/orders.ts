import type { BodyInputOf } from '../../../../../lib/api/route.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { ServiceTypeName } from '../../../../../lib/core/ids.ts';
import type { Cli } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { json } from '../../../output/json.ts';
import { answerTo, type Meant, serviceNow } from './asked.ts';

/**
 * The outcome of an order on a node: the text to print, as in the original where that printed one, the API's own
 * answer, and the exit code.
 */
export type Outcome = { readonly text: string; readonly body: unknown; readonly code: number };
/** The arguments beside the node. */
export type Given = {
  readonly configuration?: BodyInputOf<typeof contract.startService>['configuration'];
  readonly message?: ServiceTypeName;
  readonly data?: unknown;
};
type Order = (cli: Cli, meant: Meant, given: Given) => Promise<Outcome>;

/** OCF's exit code for something that does not run, which operators' scripts know. */
const notRunning = 7;

const of = ({ zone, type, node }: Meant) => ({ params: { zone, type }, node });
const refusedAs = (problem: string, text: string) => (error: unknown) => {
  if (error instanceof Failure && error.problem === problem) throw new Failure(error.exitCode, text, error.advice, problem);
  throw error;
};

const start: Order = async (cli, meant, { configuration }) => {
  const { params, node } = of(meant);
  const sent = { params, body: { node, ...(configuration && { configuration }) } };
  const { body } = await cli.call(contract.startService, sent).catch(refusedAs('unknown-node', 'Cannot start service on unknown node'));
  if (body.answer === 'already running')
    return { text: `Service already running.\nRunning with config:\n${json(body.configuration)}`, body, code: exitCodes.done };
  return { text: `Trying to start ${meant.type}: ${body.because}\n`, body, code: exitCodes.done };
};

const stop: Order = async (cli, meant) => {
  const { params, node } = of(meant);
  const { body } = await cli.call(contract.stopService, { params, body: { node } });
  const text = body.service || body.done ? `${body.because}\n` : 'Service not running.\n';
  return { text: text + afterStop(cli, meant), body, code: exitCodes.done };
};

/** The original's `m0d` took the Mero processes of its node with it; here Mero's own orders start and stop them. */
const afterStop = ({ terminal }: Cli, { type, node }: Meant): string =>
  type === 'm0d' ? `The Mero processes of ${node} continue: ${terminal.name} mero node stop ${node} stops them.\n` : '';

const reconfigure: Order = async (cli, meant, { configuration }) => {
  if (!configuration) throw new Failure(exitCodes.usage, 'reconfigure needs a configuration', 'Give one: -c FILE');
  const { params, node } = of(meant);
  const { body } = await cli.call(contract.reconfigureService, { params, body: { node, configuration } });
  return { text: `${body.because}\n`, body, code: exitCodes.done };
};

type Asked = { readonly body: { readonly ask: string; readonly waitMs: number } };

/**
 * Shows the answer to a question, and ends with the code of the service; where there is no service to ask, with OCF's
 * code for that.
 */
async function answered(cli: Cli, meant: Meant, asked: Promise<Asked>): Promise<Outcome> {
  const { body: question } = await asked.catch((error: unknown) => {
    const isNone = error instanceof Failure && error.problem === 'service-not-running';
    throw isNone ? new Failure(notRunning, error.message, error.advice, error.problem) : error;
  });
  const body = await answerTo(cli, meant, question);
  if (!body || body.late) return { text: 'No reply.\n', body: body ?? null, code: exitCodes.tryAgain };
  return { text: body.says === '' || body.says.endsWith('\n') ? body.says : `${body.says}\n`, body, code: body.exit ?? exitCodes.failed };
}

const check: Order = (cli, meant) => {
  const { params, node } = of(meant);
  return answered(cli, meant, cli.call(contract.checkService, { params, body: { node } }));
};

const send: Order = (cli, meant, { message, data }) => {
  if (message === undefined) throw new Failure(exitCodes.usage, 'send needs a message', 'List the messages: service type show TYPE');
  const { params, node } = of(meant);
  return answered(cli, meant, cli.call(contract.sendService, { params, body: { node, message, ...(data !== undefined && { data }) } }));
};

/** Prints what is on record, and what the service itself reports where it runs. */
const status: Order = async (cli, meant) => {
  const service = await serviceNow(cli, meant);
  if (!service) return { text: 'Service not running.\n', body: null, code: notRunning };
  const config = json(service.configuration);
  const stateText = [service.state, ...(service.reason === undefined ? [] : [service.reason])].join(', ');
  if (service.state !== 'online')
    return { text: `Not running but configured with:\n${config}State: ${stateText}\n`, body: { service }, code: notRunning };
  const { params, node } = of(meant);
  const { text, body, code } = await answered(cli, meant, cli.call(contract.statusService, { params, body: { node } }));
  const running = service.pid === undefined ? 'Running with config:' : `Running on PID ${service.pid} with config:`;
  return { text: `${running}\n${config}${text}`, body: { service, answer: body }, code };
};

/** The orders to a service, by name. */
export const orders = { start, stop, reconfigure, status, check, send } as const satisfies Record<string, Order>;
export type OrderName = keyof typeof orders;
