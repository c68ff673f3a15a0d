import { Field } from '../../kit/kit.tsx';
import { type Asking, askedText } from './zones.ts';

type Props = {
  readonly items: readonly Asking[];
  readonly zones: readonly string[];
  readonly zone: string | undefined;
  readonly onZone: (zone: string | undefined) => void;
};

/** The zone into which they are let in: the one that each asks for, or one of those where the operator may do so. */
export const ZoneField = ({ items, zones, zone, onZone }: Props) => (
  <Field label="Zone">
    {(id) => (
      <select id={id} value={zone ?? ''} onChange={(event) => onZone(event.target.value || undefined)}>
        <option value="">{askedText(items)}</option>
        {zones.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    )}
  </Field>
);
