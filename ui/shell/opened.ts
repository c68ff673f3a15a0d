/** A view that can be opened without more, and the digit that leads to it; empty for those beyond the ninth. */
export type Opened = { readonly path: string; readonly title: string; readonly key: string };

/**
 * The views that can be opened without more. Storage is there once a zone of that kind is. A digit stays with its view,
 * whichever others there are.
 */
export const openedOf = (
  views: readonly { readonly path: string; readonly title: string }[],
  zones: readonly { readonly kind: string }[] | undefined,
): readonly Opened[] =>
  views
    .filter(({ path }) => !path.includes(':'))
    .map(({ path, title }, n) => ({ path, title, key: n < 9 ? String(n + 1) : '' }))
    .filter(({ path }) => path !== '/storage' || zones?.some(({ kind }) => kind === 'storage'));
