import { type DocumentForm, jsonDocuments, xmlRpcDocuments } from '../../lib/uyuni/merge/documents.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';

/** What an answer has besides its document. */
export type Http = { readonly status: number; readonly type: string; readonly cookies: readonly string[] };

/**
 * How the answers to one call are written, by the interface that it came by. `http` tells the rest once the document
 * has begun: a fault of the JSON interface has a status of its own.
 */
export type Replies = DocumentForm & { http(): Http };

const inXml: Http = { status: 200, type: 'text/xml', cookies: [] };

/** Answers by XML-RPC. */
export const xmlRpcReplies: Replies = { ...xmlRpcDocuments, http: () => inXml };

/** Statuses whose answers are JSON; servers answer others with a text. */
const inJson: ReadonlySet<number> = new Set([200, 401, 503]);

/** Answers to one call of the JSON interface, with these cookies. */
export function jsonReplies(cookies: readonly string[] = []): Replies {
  let failed: Fault | undefined;
  return {
    ...jsonDocuments,
    faultText: (fault) => {
      failed = fault;
      return fault.http === undefined || inJson.has(fault.http.status) ? jsonDocuments.faultText(fault) : fault.text;
    },
    http: () => ({ status: failed?.http?.status ?? 200, type: failed?.http?.type ?? 'application/json', cookies }),
  };
}
