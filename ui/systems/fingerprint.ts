/** How many digits are typed to confirm what cannot be undone. */
export const confirmDigits = 8;

/** Whether a person has typed the first digits of a fingerprint, with or without colons, in capitals or not. */
export const confirms = (typed: string, fp: string): boolean => typed.replace(/[\s:]/g, '').toLowerCase() === fp.slice(0, confirmDigits);
