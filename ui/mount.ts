/** The path below which a server of Muster's nodes shows this page, for an address of it; empty at Muster itself. */
export const mountOf = (pathname: string): string => (/^\/muster\/ui(\/|$)/.test(pathname) ? '/muster' : '');

/** What the paths of the page, of the API and of the session begin with at the address where the page is open. */
export const mount: string = typeof location === 'undefined' ? '' : mountOf(location.pathname);
