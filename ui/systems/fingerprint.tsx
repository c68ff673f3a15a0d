import { doing } from '../kit/toasts.tsx';
import type { System } from './asks.ts';
import { linesOf } from './fingerprint.ts';

/** The fingerprint of a key, large enough to compare it with the one on a screen of the machine. */
export function Fingerprint({ of: { fp, fingerprint } }: { readonly of: Pick<System, 'fp' | 'fingerprint'> }) {
  return (
    <div className="fingerprint">
      {/* One text for who hears it; the groups are for who looks. */}
      <span className="unseen">Fingerprint {fingerprint}</span>
      <div aria-hidden="true">
        {linesOf(fp).map((line) => (
          <div key={line.join()}>
            {line.map((group) => (
              <span key={group.join()}>
                {group.map((pair, n) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a pair is where it is, and may be there twice
                  <b key={n}>{pair}</b>
                ))}
              </span>
            ))}
          </div>
        ))}
      </div>
      <button
        type="button"
        className="quiet"
        onClick={() => void doing(navigator.clipboard.writeText(fingerprint), 'The fingerprint is copied')}
      >
        Copy
      </button>
    </div>
  );
}
