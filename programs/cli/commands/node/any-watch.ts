import { Option } from 'commander';

/** The value of `--any-watch` for a verb that lets hosts in. */
export type AnyWatch = { readonly anyWatch?: true };

/**
 * The option that lets hosts be watched at other addresses than their own: on a second network, say, or behind NAT.
 */
export const anyWatchOption = (whose: string): Option =>
  new Option(
    '--any-watch',
    `${whose} may be watched where it asks to be, even if that is neither its name nor the address that it calls from`,
  );
