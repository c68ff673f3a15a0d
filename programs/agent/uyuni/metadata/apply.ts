import type { Fingerprint } from '../../../../lib/core/ids.ts';
import type { ServerApi } from '../api/server-api.ts';
import { type Document, digestOf } from './documents.ts';
import { entriesIn, historyKind } from './history.ts';
import { askOf, type DocumentKind, documentKinds, notesOf, pointerSubject, ReadRefused } from './kinds.ts';
import type { AgreedMemory } from './memory.ts';
import type { Plan, Step } from './plans.ts';
import type { Registered } from './registrations.ts';

/** A client system with its documents from Muster, and its system on this server. */
export type Applying = Registered & { readonly fp: Fingerprint; readonly metadata: Readonly<Record<string, unknown>> };
/** The server to write to, what it and Muster agreed on, and the name of this node. */
export type ApplyOptions = { readonly server: ServerApi; readonly memory: AgreedMemory; readonly node: string };

/**
 * Applies the documents that Muster has changed since the server and Muster last agreed. Others may have been changed
 * here meanwhile, which is yet to be reported. Gives what could not be applied and why, in words; throws what the API
 * throws when the server is down.
 */
export async function applyDocuments({ fp, sid, registration, metadata }: Applying, options: ApplyOptions): Promise<string[]> {
  const { server, memory } = options;
  const known = memory.of(fp);
  const agreed = known?.registration === registration ? known.digests : {};
  const failed: string[] = [];
  for (const [name, kind] of documentKinds) {
    if (!(name in metadata)) continue;
    const document = kind.normal(metadata[name]);
    if (!document) {
      failed.push(`${name}: the document in Muster has another form than this agent knows`);
      continue;
    }
    const digest = digestOf(document);
    if (agreed[name] === digest) continue;
    const why = await applyOne(server, sid, kind, document);
    if (why === undefined) memory.agree(fp, registration, { [name]: digest });
    else failed.push(`${name}: ${why}`);
  }
  const why = await pointToHistory({ fp, sid, registration, metadata }, options);
  return why === undefined ? failed : [...failed, why];
}

/** Why a document could not be applied whole; undefined when it was. */
async function applyOne(server: ServerApi, sid: number, kind: DocumentKind, document: Document): Promise<string | undefined> {
  const planned = await orRefused(() => kind.plan(askOf(server), sid, document));
  if (typeof planned === 'string') return planned;
  const { steps, missing } = planned;
  const why = await carryOut(server, steps);
  if (why !== undefined || missing.length === 0) return why;
  return `this server does not have ${missing.join(', ')}`;
}

async function orRefused(plan: () => Promise<Plan>): Promise<Plan | string> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof ReadRefused) return error.message;
    throw error;
  }
}

async function carryOut(server: ServerApi, steps: readonly Step[]): Promise<string | undefined> {
  for (const { what, method, values } of steps) {
    const done = await server.writes(method, values);
    if (!done.ok) return `the server refuses to ${what} (${done.why})`;
  }
  return undefined;
}

/** A name beside the kinds of documents, under which it is remembered that the note is there. */
const pointer = 'pointer';

/**
 * The API cannot write a history of actions. Where a system has one from other nodes, one note says where to read it:
 * always the same, so that it is never there twice.
 */
async function pointToHistory({ fp, sid, registration, metadata }: Applying, { server, memory, node }: ApplyOptions) {
  if (!entriesIn(metadata[historyKind]).some((entry) => entry.node !== node)) return undefined;
  const known = memory.of(fp);
  if (known?.registration === registration && known.digests[pointer] !== undefined) return undefined;
  const notes = await notesOf(askOf(server), sid);
  if (!notes.some(({ subject }) => subject === pointerSubject)) {
    const body = `Muster has the history of this system from all nodes that it was on: muster system metadata get ${fp} ${historyKind}`;
    const done = await server.writes('system.addNote', { sid, subject: pointerSubject, body });
    if (!done.ok) return `${historyKind}: the server refuses the note about the history (${done.why})`;
  }
  memory.agree(fp, registration, { [pointer]: 'there' });
  return undefined;
}
