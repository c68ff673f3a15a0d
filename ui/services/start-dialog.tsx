import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Dialog, Field, Refused, short } from '../kit/kit.tsx';
import { asks, client } from '../live/queries.ts';
import { type ServiceType, typesOf } from './asks.ts';
import { JsonField } from './json-field.tsx';
import { isOrdered, parsedJson } from './listed.ts';

type Props = { readonly zone: string; readonly type: string; readonly onClose: () => void };
/** What became of the order on one host. */
type Outcome = { readonly host: string; readonly said?: string; readonly error?: unknown };

/** Starts a service on some nodes, each by an order of its own; says what became of each. */
export function StartDialog({ zone, type: first, onClose }: Props) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const isAllowed = ({ name, takesCommand }: ServiceType): boolean =>
    isOrdered(name) && (!takesCommand || may(rights, 'putServiceType', zone));
  const types = (useQuery(typesOf(zone)).data ?? []).filter(isAllowed);
  const nodes = (useQuery(asks.nodes(zone)).data ?? []).toSorted((a, b) => a.fqdn.localeCompare(b.fqdn, 'en', { numeric: true }));
  const [name, setName] = useState(first);
  const type = types.find((one) => one.name === name) ?? types[0];
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [text, setText] = useState<string>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const shown = text ?? JSON.stringify(type?.configuration ?? {}, null, 2);
  const { fault } = parsedJson(shown);
  const start = async (of: ServiceType): Promise<void> => {
    const body = text === undefined ? {} : { configuration: JSON.parse(text) as Record<string, unknown> };
    const done = await Promise.all(
      chosen.map(async (host): Promise<Outcome> => {
        try {
          const { answer, because } = await call('startService', { params: { zone, type: of.name }, body: { node: host, ...body } });
          return { host, said: `${answer}: ${because}` };
        } catch (error) {
          return { host, error };
        }
      }),
    );
    setOutcomes(done);
    await client.invalidateQueries({ queryKey: ['services'] });
  };
  return (
    <Dialog label="Start a service" onClose={onClose} isWide>
      <h2>Start a service</h2>
      <Field label="Type" hint={type?.takesCommand === true && 'It takes a command: starting it runs what its configuration says.'}>
        {(id) => (
          <select
            id={id}
            value={type?.name ?? ''}
            onChange={(event) => {
              setName(event.target.value);
              setText(undefined);
            }}
          >
            {types.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Nodes" hint="Several with Control or Shift. On a node that is away the order waits until it is back.">
        {(id) => (
          <select
            id={id}
            multiple
            size={Math.min(8, Math.max(3, nodes.length))}
            value={chosen}
            onChange={(event) => setChosen([...event.target.selectedOptions].map((option) => option.value))}
          >
            {nodes.map(({ id: node, fqdn, status }) => (
              <option key={node} value={fqdn}>
                {fqdn} ({status})
              </option>
            ))}
          </select>
        )}
      </Field>
      <JsonField label="Configuration" text={shown} fault={fault} onChange={setText} />
      {outcomes.map(({ host, said, error }) =>
        error === undefined ? (
          <p key={host} className="note good">
            <b>{short(host)}</b> {said}
          </p>
        ) : (
          <div key={host}>
            <b>{short(host)}</b> <Refused error={error} />
          </div>
        ),
      )}
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={type === undefined || chosen.length === 0 || fault !== undefined}
          onClick={() => type && void start(type)}
        >
          Start it{chosen.length > 1 && ` on ${chosen.length} nodes`}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
