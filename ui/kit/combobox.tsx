import { Combobox, ComboboxGroup, ComboboxGroupLabel, ComboboxItem, ComboboxList, ComboboxProvider } from '@ariakit/react';
import type { ReactNode } from 'react';
import { Dialog } from './kit.tsx';

/** Something that can be picked: what it says, and more about it at the end of its line. */
export type Choice = { readonly id: string; readonly label: ReactNode; readonly hint?: ReactNode };
export type ChoiceGroup = { readonly title: string; readonly choices: readonly Choice[] };

type ChooserProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly typed: string;
  readonly groups: readonly ChoiceGroup[];
  readonly onType: (typed: string) => void;
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
  /** What stands where nothing fits. */
  readonly none: ReactNode;
  readonly footer?: ReactNode;
};

/** A dialog in which one types and picks: the first that fits is picked by Enter, the arrows go through the others. */
export function Chooser({ label, placeholder, typed, groups, onType, onPick, onClose, none, footer }: ChooserProps) {
  const isEmpty = groups.every(({ choices }) => choices.length === 0);
  return (
    <Dialog label={label} onClose={onClose}>
      <ComboboxProvider open value={typed} setValue={onType} includesBaseElement={false} focusLoop>
        <Combobox autoSelect="always" placeholder={placeholder} aria-label={label} autoComplete="none" spellCheck={false} />
        <ComboboxList alwaysVisible className="choices" aria-label="Choices">
          {groups
            .filter(({ choices }) => choices.length > 0)
            .map(({ title, choices }) => (
              <ComboboxGroup key={title}>
                <ComboboxGroupLabel className="choices-title">{title}</ComboboxGroupLabel>
                {choices.map(({ id, label: text, hint }) => (
                  <ComboboxItem key={id} value={id} setValueOnClick={false} hideOnClick={false} focusOnHover onClick={() => onPick(id)}>
                    <span>{text}</span>
                    {hint !== undefined && <small>{hint}</small>}
                  </ComboboxItem>
                ))}
              </ComboboxGroup>
            ))}
        </ComboboxList>
        {isEmpty && <p className="empty">{none}</p>}
        {footer}
      </ComboboxProvider>
    </Dialog>
  );
}
