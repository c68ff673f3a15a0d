/** A request to the agent's own site, below `/muster/`: its body is read whole, 64 KiB at most. */
export type SiteRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
/** What the site answers. */
export type SiteAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };
/** A page or program of the site. */
export type SiteRoute = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (request: SiteRequest) => Promise<SiteAnswer>;
};
