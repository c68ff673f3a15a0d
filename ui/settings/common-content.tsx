import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Ago, Because, Facts, Field, Refused } from '../kit/kit.tsx';
import { OrderButton } from '../kit/order.tsx';
import { asks, client } from '../live/queries.ts';
import { Link } from '../router.tsx';
import { Revisions } from './revisions.tsx';

type Seat = Reply<'getSeat'>;

const again = (): void => void client.invalidateQueries({ queryKey: ['seat'] });

/** On which server the common content of a zone is edited, and by whom; nothing for a zone without Uyuni servers. */
export function CommonContent({ zone }: { readonly zone: string }) {
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  const { data: of, error } = useQuery(asks.seat(zone));
  if (error && !of) return <Refused error={error} />;
  if (!of || (of.epoch === 0 && !nodes.some(({ kind }) => kind === 'uyuni'))) return null;
  return (
    <section aria-labelledby="common-content">
      <h3 id="common-content">Common content</h3>
      <Facts of={factsOf(of)} />
      <p>
        <Because of={of.because} />
      </p>
      <Orders of={of} />
      <Revisions zone={zone} />
    </section>
  );
}

const factsOf = ({ seat, ahead }: Seat): readonly (readonly [string, ReactNode])[] => {
  const place = seat ? <Link to={`/nodes/${seat.fqdn}`}>{seat.fqdn}</Link> : 'no server';
  const editors = seat && <Editors of={seat.editors} />;
  return [
    ['Edited on', place],
    ['Editors', editors],
    ['Changes of their own', ahead.map(({ fqdn }) => fqdn).join(', ')],
  ];
};

const Editors = ({ of }: { readonly of: NonNullable<Seat['seat']>['editors'] }) => (
  <ul>
    {of.map(({ who, via, since }) => (
      <li key={`${via} ${who}`}>
        {who}
        {via === 'gateway' && ', through a gateway'}, for <Ago at={since} />
      </li>
    ))}
  </ul>
);

function Orders({ of }: { readonly of: Seat }) {
  const me = useQuery(asks.whoAmI).data;
  const [asked, ask] = useState<'end' | 'synced'>();
  const { zone, seat, ahead } = of;
  const params = { zone };
  const isMine = seat?.editors.some(({ who, via }) => via === 'muster' && who === me?.who) ?? false;
  const close = (): void => ask(undefined);
  return (
    <div className="actions">
      {may(me?.rights, 'editContent', zone) && !isMine && (
        <OrderButton
          does={() => call('editContent', { params })}
          done={({ fqdn }) => {
            again();
            return `Edit on ${fqdn}`;
          }}
        >
          Edit
        </OrderButton>
      )}
      {isMine && (
        <OrderButton
          does={() => call('finishEditing', { params })}
          done={({ because }) => {
            again();
            return because;
          }}
        >
          Finish
        </OrderButton>
      )}
      {may(me?.rights, 'endEditing', zone) && seat && (
        <button type="button" className="danger" onClick={() => ask('end')}>
          End editing…
        </button>
      )}
      {may(me?.rights, 'markSynced', zone) && ahead.length > 0 && (
        <button type="button" onClick={() => ask('synced')}>
          The others have it…
        </button>
      )}
      {asked === 'end' && seat && <End of={of} editors={seat.editors} onClose={close} />}
      {asked === 'synced' && <Synced of={of} onClose={close} />}
    </div>
  );
}

type OrderProps = { readonly of: Seat; readonly onClose: () => void };

const said = ({ because }: Reply<'endEditing'>): string => {
  again();
  return because;
};

const End = ({ of: { zone }, editors, onClose }: OrderProps & { readonly editors: NonNullable<Seat['seat']>['editors'] }) => (
  <Confirm
    title="End editing?"
    action="End it"
    isDanger
    does={(form) => {
      const who = String(form.get('who'));
      return call('endEditing', { params: { zone }, body: { because: String(form.get('because')), ...(who !== '' && { who }) } });
    }}
    done={said}
    onClose={onClose}
  >
    <p>The reason is in the history. What they have changed stays on the server.</p>
    <Field label="Who">
      {(id) => (
        <select id={id} name="who">
          <option value="">everybody</option>
          {[...new Set(editors.map(({ who }) => who))].map((who) => (
            <option key={who} value={who}>
              {who}
            </option>
          ))}
        </select>
      )}
    </Field>
    <Field label="Because">{(id) => <input id={id} name="because" required maxLength={200} />}</Field>
  </Confirm>
);

const Synced = ({ of: { zone, ahead }, onClose }: OrderProps) => (
  <Confirm
    title="Do the others have it?"
    action="They have it"
    does={(form) => call('markSynced', { params: { zone }, body: { node: String(form.get('node')) } })}
    done={said}
    onClose={onClose}
  >
    <p>Until you say so, the next editors are sent to the server with changes of its own. Muster does not copy content yet.</p>
    <Field label="What was changed on">
      {(id) => (
        <select id={id} name="node">
          {ahead.map(({ node, fqdn }) => (
            <option key={node} value={node}>
              {fqdn}
            </option>
          ))}
        </select>
      )}
    </Field>
  </Confirm>
);
