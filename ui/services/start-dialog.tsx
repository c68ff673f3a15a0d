import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { Dialog, Refused, short } from '../kit/kit.tsx';
import { useOnce } from '../kit/order.tsx';
import { asks } from '../live/queries.ts';
import { type ServiceType, typesOf } from './asks.ts';
import { JsonField } from './json-field.tsx';
import { isOrdered, parsedJson } from './listed.ts';
import { NodesField, TypeField } from './start-fields.tsx';
import { type Outcome, started } from './starting.ts';

type Props = { readonly zone: string; readonly type: string; readonly onClose: () => void };

/** Starts a service on some nodes, each by an order of its own; says what became of each. */
export function StartDialog({ zone, type: first, onClose }: Props) {
  const types = useAllowed(zone);
  const [name, setName] = useState(first);
  const [hosts, setHosts] = useState<readonly string[]>([]);
  const [text, setText] = useState<string>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const { isBusy, once } = useOnce();
  const type = types.find((one) => one.name === name) ?? types[0];
  const shown = text ?? JSON.stringify(type?.configuration ?? {}, null, 2);
  const { fault } = parsedJson(shown);
  const start = async (of: ServiceType): Promise<void> => setOutcomes(await started({ zone, type: of.name, hosts, configuration: text }));
  const choose = (next: string): void => {
    setName(next);
    setText(undefined);
  };
  return (
    <Dialog label="Start a service" onClose={onClose} isWide>
      <h2>Start a service</h2>
      <TypeField types={types} type={type} onType={choose} />
      <NodesField zone={zone} hosts={hosts} onHosts={setHosts} />
      <JsonField label="Configuration" text={shown} fault={fault} onChange={setText} />
      <Outcomes of={outcomes} />
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={type === undefined || hosts.length === 0 || fault !== undefined}
          aria-disabled={isBusy}
          onClick={() => type && void once(() => start(type))}
        >
          Start it{hosts.length > 1 && ` on ${hosts.length} nodes`}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The types that the caller may start. What takes commands needs the scope to run commands. */
function useAllowed(zone: string): readonly ServiceType[] {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const types = useQuery(typesOf(zone)).data ?? [];
  return types.filter(({ name, takesCommand }) => isOrdered(name) && (!takesCommand || may(rights, 'putServiceType', zone)));
}

const Outcomes = ({ of }: { readonly of: readonly Outcome[] }) =>
  of.map(({ host, said, error }) =>
    error === undefined ? (
      <p key={host} className="note good" role="status">
        <b>{short(host)}</b> {said}
      </p>
    ) : (
      <div key={host}>
        <b>{short(host)}</b> <Refused error={error} />
      </div>
    ),
  );
