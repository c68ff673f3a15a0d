import { Field } from '../../kit/kit.tsx';

type Asking = { readonly zone?: string | undefined };
type Props = {
  readonly items: readonly Asking[];
  readonly zones: readonly string[];
  readonly zone: string | undefined;
  readonly onZone: (zone: string | undefined) => void;
};

/** Where those go that ask for no zone. */
const defaultZone = 'default';

/** What the picked ones ask for, in words: `as they ask: emea 8, default 4`. */
export function askedText(items: readonly Asking[]): string {
  const by = [...Map.groupBy(items, ({ zone = defaultZone }) => zone)].sort(([, a], [, b]) => b.length - a.length);
  if (by.length === 0) return 'the zone that each asks for';
  if (by.length === 1) return `${by[0]![0]}, as asked`;
  return `as each asks: ${by.map(([zone, { length }]) => `${zone} ${length}`).join(', ')}`;
}

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
