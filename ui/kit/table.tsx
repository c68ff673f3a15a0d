import type { ReactNode } from 'react';

/**
 * A column of a list: its title, what a row has there, and how it stands: `number` at its end, `roomy` only where there
 * is room for it. A title that is unseen is for those who hear the list.
 */
export type Column<T> = {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  readonly is?: string;
  readonly isUnseen?: true;
};

type Props<T> = {
  readonly of: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** Whether a row is the one that is shown beside the list. */
  readonly isPicked?: (row: T) => boolean;
};

/** A list in columns, a row for each; where the page is narrow it scrolls aside. */
export const Table = <T,>({ of, columns, keyOf, isPicked }: Props<T>) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          {columns.map(({ title, is, isUnseen }) => (
            <th key={title} scope="col" className={is}>
              {isUnseen ? <span className="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map((row) => (
          <tr key={keyOf(row)} aria-selected={isPicked?.(row)}>
            {columns.map(({ title, is, cell }) => (
              <td key={title} className={is}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** What leads from a row to all of it. */
export const PickButton = ({ onPick, children }: { readonly onPick: () => void; readonly children: ReactNode }) => (
  <button type="button" className="plain" onClick={onPick}>
    {children}
  </button>
);
