/** The path from the root of a file to something in it: keys of mappings and numbers of items. */
export type Path = readonly PropertyKey[];

/** One defect of a file: where, and what is wrong. It never contains a secret. */
export type Defect = { readonly path: Path; readonly says: string };

/** A path as people read it: `id_m0_servers[3].m0h_processes[0].m0p_endpoint`; empty for the whole file. */
export const pathText = (path: Path): string =>
  path.map((part, n) => (typeof part === 'number' ? `[${part}]` : `${n ? '.' : ''}${String(part)}`)).join('');

/** A path as a JSON pointer (RFC 6901). */
export const pointerOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
