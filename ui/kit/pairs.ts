/** How many pairs of a fingerprint a person compares at a time. */
const pairsApart = 8;

/** A fingerprint, `ab:cd:…`, in parts of eight pairs; each but the last one ends with its colon. */
export const partsOf = (fingerprint: string): readonly string[] => {
  const pairs = fingerprint.split(':');
  const parts = Array.from({ length: Math.ceil(pairs.length / pairsApart) }, (_, n) =>
    pairs.slice(n * pairsApart, (n + 1) * pairsApart).join(':'),
  );
  return parts.map((part, n) => (n < parts.length - 1 ? `${part}:` : part));
};
