const pairsApart = 8;

/**
 * A fingerprint in pairs, as an administrator compares it: in four parts of eight pairs, the first of them bright. A
 * screen reader has it whole, by its label.
 */
export function Pairs({ of, label = 'Fingerprint' }: { readonly of: string; readonly label?: string }) {
  const pairs = of.split(':');
  const parts = Array.from({ length: Math.ceil(pairs.length / pairsApart) }, (_, n) =>
    pairs.slice(n * pairsApart, (n + 1) * pairsApart).join(':'),
  );
  return (
    <code className="pairs">
      <span className="unseen">{label} </span>
      {parts.map((part, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fingerprint stay where they are
        <span key={n} className="part">
          {part}
          {n < parts.length - 1 && <i>:</i>}
        </span>
      ))}
    </code>
  );
}
