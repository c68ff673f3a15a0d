import type { Sort, Wanted } from './asks.ts';

const columns: readonly { readonly name: string; readonly title: string; readonly sort?: Sort }[] = [
  { name: 'name', title: 'System', sort: 'name' },
  { name: 'state', title: 'Status' },
  { name: 'node', title: 'Node' },
  { name: 'zone', title: 'Zone' },
  { name: 'labels', title: 'Tags and groups' },
  { name: 'seen', title: 'Seen', sort: 'seen' },
];

type HeadProps = {
  readonly wanted: Wanted;
  readonly isAll: boolean;
  readonly onAll: () => void;
  readonly onSort: (sort: Sort) => void;
};

/** The head of the list: by some of its columns the list can be sorted. */
export const Head = ({ wanted, isAll, onAll, onSort }: HeadProps) => (
  <thead>
    <tr aria-rowindex={1} className="system">
      <th scope="col" className="pick">
        <input type="checkbox" checked={isAll} onChange={onAll} aria-label="Select all that are shown" />
      </th>
      {columns.map(({ name, title, sort }) => (
        <th key={name} scope="col" className={name} {...sorted(wanted, sort)}>
          {sort === undefined ? (
            title
          ) : (
            <button type="button" className="plain" onClick={() => onSort(sort)}>
              {title} <i aria-hidden="true">{wanted.sort !== sort ? '↕' : wanted.isDown ? '↓' : '↑'}</i>
            </button>
          )}
        </th>
      ))}
    </tr>
  </thead>
);

/** How the list is sorted by a column; nothing for one by which it cannot be. */
function sorted({ sort, isDown }: Wanted, column: Sort | undefined): { readonly 'aria-sort'?: 'ascending' | 'descending' | 'none' } {
  if (column === undefined) return {};
  if (sort !== column) return { 'aria-sort': 'none' };
  return { 'aria-sort': isDown ? 'descending' : 'ascending' };
}
