import type { Command } from 'commander';

/** The options of every command about common content: the account on the server, and the folder of the agent. */
export type ContentGiven = { readonly uyuniAccount: string; readonly home: string; readonly json?: true };
/** The options of commands that read a folder. */
export type FolderGiven = ContentGiven & { readonly edited?: true };
/** The options of copying a folder to the server. */
export type ImportGiven = FolderGiven & { readonly remove?: true };

/** The functions behind the commands about common content. */
export type DoesContent = {
  contentExport(path: string, given: ContentGiven): Promise<void>;
  contentDiff(path: string, given: FolderGiven): Promise<void>;
  contentImport(path: string, given: ImportGiven): Promise<void>;
};

const examples = `
Examples:
  $ muster-agent uyuni content export /srv/content --uyuni-account /etc/muster/uyuni-account.json
      Write the common content of this server into a folder, a file for each document.
  $ muster-agent uyuni content diff /srv/content --uyuni-account /etc/muster/uyuni-account.json
      Print what this server does not have as the folder says: exit code 0 if there is nothing, 1 if there is something.
  $ muster-agent uyuni content import /srv/content --uyuni-account /etc/muster/uyuni-account.json
      Have this server be as the folder says. It changes only what differs, so it can be run again at any time.`;

/** Adds the commands by which common content is copied from one Uyuni server to another. */
export function withContent(uyuni: Command, does: DoesContent): void {
  const content = uyuni
    .command('content')
    .description('common content of the Uyuni server on this host: channels, keys, projects and the like, as documents')
    .addHelpText('after', examples);
  const add = (name: string, description: string): Command =>
    content
      .command(name)
      .description(description)
      .argument('<dir>', 'the folder of the documents')
      .option('--uyuni-account <file>', 'the account on the server (JSON: address, login, password; mode 0600), as of the agent')
      .option('--json', 'as JSON');
  const edited = (command: Command): Command => command.option('--edited', 'take documents that were changed after the export');
  const doing =
    <G extends ContentGiven>(verb: (path: string, given: G) => Promise<void>) =>
    (path: string, _own: object, command: Command) =>
      verb(path, withAccount(command));
  add('export', 'write what the server has into a folder, with a manifest of hashes').action(doing(does.contentExport));
  edited(add('diff', 'compare the server with a folder; changes nothing')).action(doing(does.contentDiff));
  edited(add('import', 'have the server be as a folder says; what it has beyond that stays'))
    .option('--remove', 'also remove what the server has and the folder does not, of the kinds that it holds')
    .action(doing(does.contentImport));
}

/** The agent has the same option, and takes it wherever it stands. */
function withAccount<G extends ContentGiven>(command: Command): G {
  const given = command.optsWithGlobals<Partial<ContentGiven> & Omit<G, 'uyuniAccount'>>();
  if (given.uyuniAccount === undefined) return command.error("error: required option '--uyuni-account <file>' not specified");
  return given as G;
}
