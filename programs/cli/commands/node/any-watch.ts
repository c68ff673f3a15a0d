import { Option } from 'commander';

/** What a verb that lets hosts in takes with `--any-watch`. */
export type AnyWatch = { readonly anyWatch?: true };

/**
 * The option that lets hosts be watched where they are not: on a second network, say, or behind address translation.
 */
export const anyWatchOption = (whose: string): Option =>
  new Option('--any-watch', `${whose} may be watched where it asks to be, at other addresses than its name and the one that it calls from`);
