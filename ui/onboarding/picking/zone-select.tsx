import { useQuery } from '@tanstack/react-query';
import type { RouteName } from '../../api/call.ts';
import { may, type Rights } from '../../api/rights.ts';
import { Field } from '../../kit/kit.tsx';
import { asks } from '../../live/queries.ts';

type Props = { readonly rights: Rights | undefined; readonly route: RouteName };

/** The zones in which the caller may do this, as a field `zone` of a form. */
export function ZoneSelect({ rights, route }: Props) {
  const zones = (useQuery(asks.zones).data ?? []).filter(({ name }) => may(rights, route, name));
  return (
    <Field label="Zone">
      {(id) => (
        <select id={id} name="zone" defaultValue={zones.find(({ name }) => name === 'default')?.name}>
          {zones.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
