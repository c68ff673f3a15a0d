import type { Value } from '../../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { wantChannel } from '../wanted.ts';
import { channelDetailsOf } from './channels.ts';

const shown = `r.id, r.label, r.source_url AS "sourceUrl", t.label AS type, r.metadata_signed = 'Y' AS "hasSignedMetadata",
  (SELECT coalesce(json_agg(json_build_object('sslCaDesc', ca.description, 'sslCertDesc', coalesce(cert.description, ''),
     'sslKeyDesc', coalesce(key.description, ''))), '[]')
   FROM rhncontentsourcessl s JOIN rhncryptokey ca ON ca.id = s.ssl_ca_cert_id LEFT JOIN rhncryptokey cert ON cert.id = s.ssl_client_cert_id
   LEFT JOIN rhncryptokey key ON key.id = s.ssl_client_key_id WHERE s.content_source_id = r.id) AS "sslContentSources"`;
const repositories = 'rhncontentsource r JOIN rhncontentsourcetype t ON t.id = r.type_id';

const detailsOf = async ({ database, caller }: Call, label: string): Promise<{ readonly [name: string]: Value }> => {
  const [found] = await database.rows(`SELECT ${shown} FROM ${repositories} WHERE r.label = $1 AND r.org_id = $2`, [label, caller.org]);
  if (!found) throw faults.invalidParameter(`There is no repository ${label}`);
  return found;
};

type NewRepository = {
  readonly label: string;
  readonly type: string;
  readonly url: string;
  readonly sslCaCert?: string;
  readonly sslCliCert?: string;
  readonly sslCliKey?: string;
  readonly hasSignedMetadata?: boolean;
};

/** A server takes each address once in an organisation, for repositories of one type. */
async function wantFreeUrl({ database, caller }: Call, url: string, type: string): Promise<void> {
  const taken = await database.rows(`SELECT 1 FROM ${repositories} WHERE r.org_id = $1 AND r.source_url = $2 AND t.label = $3`, [
    ...[caller.org, url, type],
  ]);
  if (taken.length > 0) throw faults.invalidParameter(`There is a repository of the type ${type} at ${url} already`);
}

async function create(call: Call, given: NewRepository): Promise<Value> {
  wantRole(call.caller, 'channel_admin');
  const { label, type, url, hasSignedMetadata = true, sslCaCert = '', sslCliCert = '', sslCliKey = '' } = given;
  await wantFreeUrl(call, url, type);
  const [made] = await call.database.rows<{ id: number }>(
    `INSERT INTO rhncontentsource (id, org_id, type_id, source_url, label, metadata_signed)
     SELECT nextval('rhn_chan_content_src_id_seq'), $1, id, $2, $3, $4 FROM rhncontentsourcetype WHERE label = $5
     ON CONFLICT DO NOTHING RETURNING id`,
    [call.caller.org, url, label, hasSignedMetadata ? 'Y' : 'N', type],
  );
  if (!made) throw faults.invalid(`The repository ${label} is there already, or ${type} is no type of repositories`);
  await setSsl(call, made.id, { sslCaCert, sslCliCert, sslCliKey });
  return detailsOf(call, label);
}

type Ssl = { readonly sslCaCert: string; readonly sslCliCert: string; readonly sslCliKey: string };

/** Gives a repository these keys alone. Without the certificate of an authority the others do not count. */
async function setSsl(call: Call, source: Value, { sslCaCert, sslCliCert, sslCliKey }: Ssl): Promise<void> {
  await call.database.rows('DELETE FROM rhncontentsourcessl WHERE content_source_id = $1', [source]);
  if (sslCaCert === '') return;
  await call.database.rows(
    `INSERT INTO rhncontentsourcessl (id, content_source_id, ssl_ca_cert_id, ssl_client_cert_id, ssl_client_key_id)
     VALUES (nextval('rhn_contentsourcessl_seq'), $1, $2, $3, $4)`,
    [source, await sslKey(call, sslCaCert), await sslKey(call, sslCliCert), await sslKey(call, sslCliKey)],
  );
}

async function sslKey({ database, caller }: Call, description: string): Promise<number | null> {
  if (description === '') return null;
  const [found] = await database.rows<{ id: number }>(
    `SELECT k.id FROM rhncryptokey k JOIN rhncryptokeytype t ON t.id = k.crypto_key_type_id
     WHERE k.org_id = $1 AND k.description = $2 AND t.label = 'SSL'`,
    [caller.org, description],
  );
  if (!found) throw faults.invalidParameter(`There is no key ${description}`);
  return found.id;
}

async function associate(call: Call, channelLabel: string, repoLabel: string, isAdded: boolean): Promise<Value> {
  wantRole(call.caller, 'channel_admin');
  const { id } = await wantChannel(call, channelLabel);
  const { id: source } = await detailsOf(call, repoLabel);
  await call.database.rows(
    isAdded
      ? 'INSERT INTO rhnchannelcontentsource (source_id, channel_id) VALUES ($1, $2) ON CONFLICT DO NOTHING'
      : 'DELETE FROM rhnchannelcontentsource WHERE source_id = $1 AND channel_id = $2',
    [source, id],
  );
  return (await channelDetailsOf(call, 'c.id = $1', id))[0] ?? null;
}

const short = { label: 'string', type: 'string', url: 'string' } as const;
const ssl = { sslCaCert: 'string', sslCliCert: 'string', sslCliKey: 'string' } as const;
const pair = { channelLabel: 'string', repoLabel: 'string' } as const;

/** Where the packages of channels come from. */
export const repositoryMethods: readonly Method[] = [
  reads('channel.software.listUserRepos', {}, ({ database, caller }) =>
    database.rows(`SELECT id, label, source_url AS "sourceUrl" FROM rhncontentsource WHERE org_id = $1 ORDER BY label`, [caller.org]),
  ),
  reads('channel.software.getRepoDetails', { repoLabel: 'string' }, (call, { repoLabel }) => detailsOf(call, repoLabel)),
  reads('channel.software.listChannelRepos', { channelLabel: 'string' }, async (call, { channelLabel }) =>
    call.database.rows(
      `SELECT ${shown} FROM ${repositories} JOIN rhnchannelcontentsource c ON c.source_id = r.id WHERE c.channel_id = $1 ORDER BY r.label`,
      [(await wantChannel(call, channelLabel)).id],
    ),
  ),
  writes('channel.software.createRepo', short, create),
  writes('channel.software.createRepo', { ...short, ...ssl }, create),
  writes('channel.software.createRepo', { ...short, ...ssl, hasSignedMetadata: 'boolean' }, create),
  writes(
    'channel.software.updateRepoSsl',
    { label: 'string', sslCaCert: 'string', sslCliCert: 'string', sslCliKey: 'string' },
    async (call, { label, ...ssl }) => {
      wantRole(call.caller, 'channel_admin');
      const { id = null } = await detailsOf(call, label);
      await setSsl(call, id, ssl);
      return detailsOf(call, label);
    },
  ),
  writes('channel.software.updateRepoUrl', { label: 'string', url: 'string' }, async (call, { label, url }) => {
    wantRole(call.caller, 'channel_admin');
    const { id, sourceUrl, type } = await detailsOf(call, label);
    if (sourceUrl !== url) await wantFreeUrl(call, url, String(type));
    await call.database.rows('UPDATE rhncontentsource SET source_url = $2, modified = current_timestamp WHERE id = $1', [id, url]);
    return detailsOf(call, label);
  }),
  writes('channel.software.removeRepo', { label: 'string' }, async (call, { label }) => {
    wantRole(call.caller, 'channel_admin');
    const { id } = await detailsOf(call, label);
    await call.database.rows('DELETE FROM rhncontentsource WHERE id = $1', [id]);
    return 1;
  }),
  writes('channel.software.associateRepo', pair, (call, { channelLabel, repoLabel }) => associate(call, channelLabel, repoLabel, true)),
  writes('channel.software.disassociateRepo', pair, (call, { channelLabel, repoLabel }) => associate(call, channelLabel, repoLabel, false)),
];
