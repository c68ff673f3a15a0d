import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { seesSystem } from '../../../access/zones-of-caller.ts';
import { Refusal } from '../../../api/problem.ts';
import type { Fingerprint } from '../../../core/ids.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import type { Client } from '../../client.ts';
import type { MetadataFence, MetadataOrder } from '../../metadata.ts';
import { systemRow } from '../../reads/rows.ts';
import { notifyNode, orderMetadata } from '../changes.ts';
import { metadataOf, readMetadata, unknownMetadata, unknownSystem } from '../reads.ts';

/** The kinds of metadata that a client system has, without the documents. */
export async function listMetadata({ params, caller }: AdminCall<'listMetadata'>, shell: Shell): Promise<Answer> {
  const { revision = 0, kinds = {} } = metadataOf(await foundSystem(shell, params.fp, caller)) ?? {};
  const items = Object.entries(kinds)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, known]) => ({
      kind,
      revision: known.revision,
      bytes: known.bytes,
      at: moment(known.at),
      appended: known.pages !== undefined,
    }));
  return { status: 200, body: { revision, items } };
}

/** One document, or all stored entries of a kind that is appended to. */
export async function getMetadata({ params, caller }: AdminCall<'getMetadata'>, shell: Shell): Promise<Answer> {
  const { kinds } = await readMetadata(shell, await foundSystem(shell, params.fp, caller), params.kind);
  const held = kinds[params.kind];
  if (!held) throw unknownMetadata(params.kind);
  const { revision, at, document } = held;
  return { status: 200, body: { kind: params.kind, revision, at: moment(at), document }, headers: { etag: `"${revision}"` } };
}

type Changing = Pick<AdminCall<'deleteMetadata'>, 'params' | 'request' | 'caller'>;

/** Stores a document in place of the present one. */
export const putMetadata = (call: AdminCall<'putMetadata'>, shell: Shell): Promise<Answer> =>
  changed(call, shell, { kind: call.params.kind, does: 'put', text: JSON.stringify(call.body.document) });

/** Appends entries to a kind that is a history. */
export const appendMetadata = (call: AdminCall<'appendMetadata'>, shell: Shell): Promise<Answer> =>
  changed(call, shell, { kind: call.params.kind, does: 'append', entries: call.body.entries.map((entry) => JSON.stringify(entry)) });

/** Removes a kind. */
export const deleteMetadata = (call: AdminCall<'deleteMetadata'>, shell: Shell): Promise<Answer> =>
  changed(call, shell, { kind: call.params.kind, does: 'remove' });

async function changed({ params, request, caller }: Changing, shell: Shell, order: MetadataOrder): Promise<Answer> {
  const { fp, kind } = params;
  const admits = (client: Client): void => {
    if (!seesSystem(caller, client)) throw unknownSystem(fp);
  };
  const { client, revision, because } = await orderMetadata(shell, { id: request.id, fp, order, fence: fenceOf(request), admits });
  await notifyNode(shell, client);
  return { status: 200, body: { kind, revision, because }, headers: { etag: `"${revision}"` } };
}

/** The revision that the caller wants to change, by If-Match and If-None-Match (RFC 9110, 13.1). */
function fenceOf(request: HttpRequest): MetadataFence {
  const [match, none] = [request.header('if-match'), request.header('if-none-match')];
  if (none !== undefined && none !== '*')
    throw new Refusal('invalid', 'If-None-Match must be *: it stores a document only if there is none yet');
  const digits = match === undefined ? undefined : (/^(?:W\/)?"(\d{1,15})"$/.exec(match)?.[1] ?? '0');
  return {
    ...(match !== undefined && { revision: match === '*' ? 'any' : Number(digits) }),
    ...(none !== undefined && { absent: true }),
  };
}

async function foundSystem(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<Client> {
  const known = await systemRow(shell, fp);
  if (!known || !seesSystem(caller, known.state)) throw unknownSystem(fp);
  return known.state;
}

const moment = (at: number): string => new Date(at).toISOString();
