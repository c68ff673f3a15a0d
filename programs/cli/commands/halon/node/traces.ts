import { Option } from 'commander';
import { TraceSubsystem } from '../../../../../lib/assembly/debug/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import { node } from '../../../arguments.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';

/** `halon node enable-traces|disable-traces`: whether the agent of a node writes traces of one of its parts. */
const switching =
  (name: 'enable-traces' | 'disable-traces'): Verb =>
  (noun, cli) => {
    const on = name === 'enable-traces';
    const command = noun
      .command(name)
      .argument('<node>', 'the node', node)
      .description(
        on
          ? 'Have the agent of a node write traces of one of its parts to its log, also after a restart, until they are disabled'
          : 'Stop the traces of one part of the agent of a node',
      )
      .addOption(new Option('-s, --subsystem <part>', 'the part of the agent').choices(TraceSubsystem.options).makeOptionMandatory())
      .action(async (id: ReturnType<typeof node>, { subsystem }: { subsystem: TraceSubsystem }) => {
        const { body } = await cli.call(contract.traceNode, { params: { id }, body: { subsystem, on } });
        cli.show(body, () => `${body.because}\n`);
      });
    examples(command, cli.terminal.name, [`halon node ${name} node1.acme.org -s services`]);
  };

/** `halon node enable-traces`. */
export const enableTraces = switching('enable-traces');
/** `halon node disable-traces`. */
export const disableTraces = switching('disable-traces');
