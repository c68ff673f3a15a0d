import { InvalidArgumentError } from 'commander';
import { AnyProblem, problemTypeOf } from '../../../lib/api/problem.ts';
import type { Verb } from '../cli.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { json } from '../output/json.ts';
import { codeOfProblem } from '../problem-codes.ts';
import { textOf } from '../reading.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
type Options = { data?: string; file?: string; header: readonly string[] };

/** `api`: makes one call of the API, with the sign-in of this program. */
export const api: Verb = (program, cli) => {
  const command = program
    .command('api')
    .argument('<method>', methods.join(', '), methodOf)
    .argument('<path>', 'the path, with its query: /api/v1/zones, or zones for short', pathOf)
    .option('--data <json>', 'the request body')
    .option('--file <file>', 'a file with the request body; - is the standard input')
    .option('--header <name: value>', 'one more header; may be given several times', headers, [])
    .description('Call the API by method and path, signed in like any other command, and print the answer')
    .action(async (method: string, path: string, { data, file, header }: Options) => {
      const body = file === undefined ? data : await textOf(cli, file);
      const response = await cli.request(method, path, { headers: header, body });
      const text = await response.text();
      const parsed = asJson(text);
      const code = codeOf(response.status, parsed);
      cli.terminal.out(parsed === undefined ? text : json(parsed));
      if (code !== exitCodes.done) throw new Failure(code, `${method} ${path} was answered ${response.status}`);
    });
  examples(
    command,
    cli.terminal.name,
    ['api GET zones'],
    ["api GET 'systems?status=new'", 'machines that wait to be accepted'],
    ['api PATCH zones/emea --data \'{"mode":"recovery"}\''],
  );
};

function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (!methods.includes(method)) throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`);
  return method;
}

/** A path from the root, or one below /api/v1/. */
function pathOf(text: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) throw new InvalidArgumentError('It must be a path; --endpoint says where the deployment is.');
  return text.startsWith('/') ? text : `/api/v1/${text}`;
}

function headers(text: string, before: readonly string[]): string[] {
  if (!/^[\w-]+: ?\S/.test(text)) throw new InvalidArgumentError('It must be a name and a value, such as if-match: "1a2b".');
  return [...before, text];
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The exit code that any other command has after the same refusal. */
function codeOf(status: number, body: unknown): number {
  if (status < 400) return exitCodes.done;
  const problem = AnyProblem.safeParse(body);
  return problem.success ? exitCodes[codeOfProblem(problemTypeOf(problem.data), status)] : exitCodes.failed;
}
