import type { Value } from '../../lib/uyuni/xml-rpc/value.ts';

type Part = { readonly ServerIds: readonly number[]; readonly Responses: readonly Value[] };

/** What the hub answers to a call of several servers. */
export type HubResults = { readonly Successful: Part; readonly Failed: Part };
