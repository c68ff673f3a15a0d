import { Field } from '../kit/kit.tsx';

type Props = {
  readonly label: string;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
};

/** A field for JSON, which says at once what is wrong with it. */
export const JsonField = ({ label, text, fault, onChange }: Props) => (
  <Field label={`${label}, as JSON`} hint={fault !== undefined && <span className="bad-text">{fault}</span>}>
    {(id) => (
      <textarea
        id={id}
        className="mono"
        rows={Math.min(16, Math.max(4, text.split('\n').length + 1))}
        value={text}
        spellCheck={false}
        aria-invalid={fault !== undefined}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
);
