/** What a door answers. */
export type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
