import type { Command } from 'commander';
import { isEndpoint } from '../../../../lib/machine/endpoint.ts';
import { zoneOption } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { readContexts, writeContexts } from '../../contexts.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';

const named = (noun: Command, verb: string): Command => noun.command(verb).argument('<name>', 'a name of your own for a deployment');

function known(cli: Cli, name: string) {
  const all = readContexts(cli.terminal.env);
  const context = all.contexts[name];
  if (!context) throw new Failure(exitCodes.usage, `unknown context ${name}`, 'List the contexts: context list');
  return { all, context };
}

/** `context list`: lists the deployments that have names here. */
export const list: Verb = (noun, cli) => {
  const command = noun
    .command('list')
    .description('List your contexts, which are your own names for deployments. Commands use the current one')
    .action(() => {
      const { current, contexts } = readContexts(cli.terminal.env);
      const items = Object.entries(contexts).map(([name, context]) => ({ name, ...context, current: name === current }));
      cli.show(items, () =>
        cli.table(items, [
          { title: 'CONTEXT', of: ({ name }) => name },
          { title: 'CURRENT', of: ({ current: is }) => (is ? 'yes' : '') },
          { title: 'ENDPOINT', of: ({ endpoint }) => endpoint },
          { title: 'ZONE', of: ({ zone = '' }) => zone },
        ]),
      );
      if (items.length === 0) cli.say('no contexts: context create NAME --endpoint URL makes one');
    });
  examples(command, cli.terminal.name, ['context list']);
};

/** `context create`: names a deployment, and has commands use it. */
export const create: Verb = (noun, cli) => {
  const command = named(noun, 'create')
    .addOption(zoneOption('the zone for commands that name none'))
    .description('Name the deployment at --endpoint and use it from now on; an existing context of this name is replaced')
    .action((name: string, { zone }: { zone?: string }) => {
      const endpoint = cli.endpoint();
      if (!isEndpoint(endpoint)) throw new Failure(exitCodes.usage, `${endpoint} is not a valid address of a deployment`);
      const { contexts } = readContexts(cli.terminal.env);
      const context = { endpoint, ...(zone !== undefined && { zone }) };
      writeContexts(cli.terminal.env, { current: name, contexts: { ...contexts, [name]: context } });
      cli.show({ name, ...context }, () => `${name} is the current context: ${endpoint}${zone === undefined ? '' : `, zone ${zone}`}\n`);
    });
  examples(command, cli.terminal.name, ['context create emea --endpoint https://muster.example.com --zone emea']);
};

/** `context use`: has commands use another context. */
export const use: Verb = (noun, cli) => {
  const command = named(noun, 'use')
    .description('Use a context from now on; --context or MUSTER_CONTEXT choose one for a single command or shell')
    .action((name: string) => {
      const { all, context } = known(cli, name);
      writeContexts(cli.terminal.env, { ...all, current: name });
      cli.show({ name, ...context }, () => `${name} is the current context: ${context.endpoint}\n`);
    });
  examples(command, cli.terminal.name, ['context use emea']);
};

/** `context delete`: forgets a context. */
export const deleteContext: Verb = (noun, cli) => {
  const command = named(noun, 'delete')
    .description('Forget a context; the deployment and your sign-in stay as they are')
    .action((name: string) => {
      const { all } = known(cli, name);
      const { [name]: _gone, ...contexts } = all.contexts;
      const current = all.current === name ? undefined : all.current;
      writeContexts(cli.terminal.env, { contexts, ...(current !== undefined && { current }) });
      cli.show({ name }, () => `${name} is forgotten\n`);
    });
  examples(command, cli.terminal.name, ['context delete emea']);
};
