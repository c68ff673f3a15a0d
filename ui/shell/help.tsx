import { Dialog } from '../kit/kit.tsx';
import { useOpened } from './use-opened.ts';

const everywhere: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'search, go anywhere, do anything'],
  ['/', 'filter what is listed, or search client systems'],
  ['?', 'these keys'],
  ['Escape', 'close what is open'],
];

/** The keys of the page. Those of a view stand in the view. */
export default function Help({ onClose }: { readonly onClose: () => void }) {
  const opened = useOpened().map(({ key, title }): readonly [string, string] => [key, title]);
  const keys = [...opened, ...everywhere];
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className="primary" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}
