import * as z from 'zod';
import { isSameJson } from '../../../../../lib/core/json.ts';
import { Names } from '../../metadata/documents.ts';
import { aContentKind, type Here, Labels, Text, when, without } from '../kind.ts';
import { notBuilt } from './built.ts';

/** Keys and certificates by the names under which the server keeps them. */
const Ssl = z.object({ ca: Text, certificate: Text, key: Text });
/** Where packages of channels come from. */
const Repository = z.object({ type: z.string(), url: z.string(), signed: z.boolean(), ssl: Ssl.nullable().default(null) });
const RepositoryDetails = z.object({
  type: z.string(),
  sourceUrl: z.string(),
  hasSignedMetadata: z.boolean().default(true),
  sslContentSources: z.array(z.object({ sslCaDesc: Text, sslCertDesc: Text, sslKeyDesc: Text })).default([]),
});

const sslOf = ({ ssl }: Pick<z.infer<typeof Repository>, 'ssl'>) => ({
  ...{ sslCaCert: ssl?.ca ?? '', sslCliCert: ssl?.certificate ?? '', sslCliKey: ssl?.key ?? '' },
});

const repository = aContentKind({
  kind: 'repository',
  schema: Repository,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    for (const { label } of await ask('channel.software.listUserRepos', {}, Labels)) {
      const details = await ask('channel.software.getRepoDetails', { repoLabel: label }, RepositoryDetails);
      const [source] = details.sslContentSources;
      const ssl = source ? { ca: source.sslCaDesc, certificate: source.sslCertDesc, key: source.sslKeyDesc } : null;
      const document = { type: details.type, url: details.sourceUrl, signed: details.hasSignedMetadata, ssl };
      found.push([label, { document, id: label }]);
    }
    return found;
  },
  create: (label, { type, url, signed, ssl }) =>
    when(true, `make the repository ${label}`, 'channel.software.createRepo', {
      ...{ label, type, url, hasSignedMetadata: signed },
      ...sslOf({ ssl }),
    }),
  change: (label, { document }, wanted) => ({
    steps: [
      ...when(document.url !== wanted.url, `change the address of the repository ${label}`, 'channel.software.updateRepoUrl', {
        ...{ label, url: wanted.url },
      }),
      ...when(!isSameJson(document.ssl, wanted.ssl), `change the keys of the repository ${label}`, 'channel.software.updateRepoSsl', {
        label,
        ...sslOf(wanted),
      }),
    ],
    cannot:
      document.type === wanted.type && document.signed === wanted.signed
        ? []
        : ['the API changes neither the type of a repository nor whether its metadata is signed: remove it there, and import again'],
  }),
  remove: (label) => when(true, `remove the repository ${label}`, 'channel.software.removeRepo', { label }),
});

/** `check`: whether systems check the signature of its metadata. */
const Gpg = z.object({ url: Text, id: Text, fingerprint: Text, check: z.boolean().default(true) });
const Maintainer = z.object({ name: Text, email: Text, phone: Text });
/** A channel without its packages. */
const Channel = z.object({
  name: z.string(),
  summary: Text,
  description: Text,
  arch: z.string(),
  parent: z.string().nullable().default(null),
  checksum: z.string(),
  gpg: Gpg,
  maintainer: Maintainer,
  repositories: Names.default([]),
});
type Channel = z.infer<typeof Channel>;

const ChannelDetails = z.object({
  name: z.string(),
  summary: Text,
  description: Text,
  arch_label: z.string(),
  parent_channel_label: Text,
  checksum_label: Text,
  ...{ gpg_key_url: Text, gpg_key_id: Text, gpg_key_fp: Text, gpg_check: z.boolean().default(true) },
  ...{ maintainer_name: Text, maintainer_email: Text, maintainer_phone: Text },
  contentSources: Labels.default([]),
});

const channelOf = (details: z.infer<typeof ChannelDetails>): unknown => ({
  ...{ name: details.name, summary: details.summary, description: details.description, arch: details.arch_label },
  parent: details.parent_channel_label || null,
  checksum: details.checksum_label,
  gpg: { url: details.gpg_key_url, id: details.gpg_key_id, fingerprint: details.gpg_key_fp, check: details.gpg_check },
  maintainer: { name: details.maintainer_name, email: details.maintainer_email, phone: details.maintainer_phone },
  repositories: details.contentSources.map(({ label }) => label),
});

/** What the API changes of a channel by one call, by its own names. */
const detailsOf = ({ name, summary, description, checksum, gpg, maintainer }: Channel) => ({
  ...{ name, summary, description, checksum_label: checksum },
  ...{ gpg_key_url: gpg.url, gpg_key_id: gpg.id, gpg_key_fp: gpg.fingerprint, gpg_check: gpg.check ? 'True' : 'False' },
  ...{ maintainer_name: maintainer.name, maintainer_email: maintainer.email, maintainer_phone: maintainer.phone },
});

const channel = aContentKind({
  kind: 'channel',
  schema: Channel,
  isFirst: ({ parent }) => parent === null,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    const labels = (await ask('channel.listMyChannels', {}, Labels)).map(({ label }) => label);
    for (const label of await notBuilt(ask, labels)) {
      const details = await ask('channel.software.getDetails', { channelLabel: label }, ChannelDetails);
      found.push([label, { document: channelOf(details), id: label }]);
    }
    return found;
  },
  create: (label, { name, summary, arch, parent, checksum, gpg }) =>
    when(true, `make the channel ${label}`, 'channel.software.create', {
      ...{
        label,
        name,
        summary,
        archLabel: arch,
        parentLabel: parent ?? '',
        checksumType: checksum,
        gpgKey: { url: gpg.url, id: gpg.id, fingerprint: gpg.fingerprint },
      },
    }),
  change: (label, { document }, wanted) => {
    const [has, wants] = [detailsOf(document), detailsOf(wanted)];
    const details = Object.fromEntries(Object.entries(wants).filter(([field, value]) => has[field as keyof typeof has] !== value));
    const isElsewhere = document.arch !== wanted.arch || document.parent !== wanted.parent;
    return {
      steps: [
        ...when(Object.keys(details).length > 0, `set the details of the channel ${label}`, 'channel.software.setDetails', {
          channelLabel: label,
          details,
        }),
        ...repositories('associateRepo', label, without(wanted.repositories, document.repositories)),
        ...repositories('disassociateRepo', label, without(document.repositories, wanted.repositories)),
      ],
      cannot: isElsewhere
        ? ['the API changes neither the parent nor the architecture of a channel: remove it there, and import again']
        : [],
    };
  },
  remove: (label) => when(true, `remove the channel ${label}`, 'channel.software.delete', { channelLabel: label }),
});

const repositories = (verb: 'associateRepo' | 'disassociateRepo', channelLabel: string, labels: readonly string[]) =>
  labels.flatMap((repoLabel) =>
    when(
      true,
      `${verb === 'associateRepo' ? 'give' : 'take'} the channel ${channelLabel} the repository ${repoLabel}`,
      `channel.software.${verb}`,
      {
        channelLabel,
        repoLabel,
      },
    ),
  );

/** In order of making. */
export const channelKinds = [repository, channel] as const;
