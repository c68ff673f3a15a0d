import { contract } from '../../../../lib/contract.ts';
import { type Fqdn, type NodeId, ZoneName } from '../../../../lib/core/ids.ts';
import { node, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { contentText } from './revision-text.ts';
import { seatText } from './seat-text.ts';

type Given = { readonly zone: ZoneName };

const ofZone = () => zoneOption('the zone whose content it is').default(ZoneName.parse('default'));

/** `content status`: shows where common content is edited, and by whom. */
export const status: Verb = (noun, cli) => {
  const command = noun
    .command('status')
    .addOption(ofZone())
    .description(
      'Show on which server the common content of a zone is edited, by whom, which servers have changes of their own, and how far the last revision is',
    )
    .action(async ({ zone }: Given) => {
      const { body: seat } = await cli.call(contract.getSeat, { params: { zone } });
      const { body: content } = await cli.call(contract.getContent, { params: { zone } });
      cli.show({ ...seat, content }, () => `${seatText(seat, cli)}${contentText(content, cli)}`);
    });
  examples(command, cli.terminal.name, ['content status'], ['content status --zone emea --watch']);
};

/** `content edit`: begins to edit common content, or goes on with it. */
export const edit: Verb = (noun, cli) => {
  const command = noun
    .command('edit')
    .addOption(ofZone())
    .description(
      'Edit common content, such as channels and users: names the one server of the zone on which it may be changed now. You count as an editor for 30 minutes; run it again to go on for longer',
    )
    .action(async ({ zone }: Given) => {
      const { body } = await cli.call(contract.editContent, { params: { zone }, body: {} });
      const others = body.editors - 1;
      const rest = others === 0 ? 'nobody else edits' : others === 1 ? '1 other edits, too' : `${others} others edit, too`;
      cli.show(body, () => `edit on ${body.fqdn}; ${rest}\n`);
    });
  examples(command, cli.terminal.name, ['content edit --zone emea'], ['content finish --zone emea', 'when you are done']);
};

/** `content finish`: edits common content no more. */
export const finish: Verb = (noun, cli) => {
  const command = noun
    .command('finish')
    .addOption(ofZone())
    .description('Stop editing common content. When the last editor has finished, it is locked on all servers')
    .action(async ({ zone }: Given) => {
      const { body } = await cli.call(contract.finishEditing, { params: { zone }, body: {} });
      cli.show(body, () => seatText(body, cli));
    });
  examples(command, cli.terminal.name, ['content finish --zone emea']);
};

/** `content end`: ends the editing of others. */
export const end: Verb = (noun, cli) => {
  const command = noun
    .command('end')
    .addOption(ofZone())
    .option('--who <name>', 'the editor, as content status names them (default: everybody)')
    .requiredOption('--because <reason>', 'why, for the history')
    .description('End the editing of somebody who does not finish, or of everybody. Asks first, unless --yes')
    .action(async ({ zone, who, because }: Given & { readonly who?: string; readonly because: string }) => {
      await cli.confirm(`end the editing of ${who ?? 'everybody'} in zone ${zone}?`);
      const { body } = await cli.call(contract.endEditing, { params: { zone }, body: { because, ...(who !== undefined && { who }) } });
      cli.show(body, () => seatText(body, cli));
    });
  examples(command, cli.terminal.name, ['content end --zone emea --who admin:ada --because "on leave since Monday"']);
};

/** `content synced`: says that a server has no changes of its own any more. */
export const synced: Verb = (noun, cli) => {
  const command = noun
    .command('synced')
    .argument('<node>', 'the server, by its name or id', node)
    .addOption(ofZone())
    .description(
      `Say that what was changed on a server is on all others of the zone, or is not wanted. Until then, the next editors are sent to this server. content apply copies it`,
    )
    .action(async (server: Fqdn | NodeId, { zone }: Given) => {
      const { body } = await cli.call(contract.markSynced, { params: { zone }, body: { node: server } });
      cli.show(body, () => seatText(body, cli));
    });
  examples(command, cli.terminal.name, ['content synced uyuni2.acme.org --zone emea']);
};
