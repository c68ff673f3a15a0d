import { useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { OrderButton } from '../kit/order.tsx';
import { asks } from '../live/queries.ts';
import { EnterLink } from './enter-link.tsx';
import { ReplaceDialog } from './replace.tsx';
import { WhatIf } from './what-if.tsx';

type Node = Reply<'getNode'>;
type OnAsk = (what: string | undefined) => void;
type Props = { readonly node: Node; readonly asked: string | undefined; readonly onAsk: OnAsk };

/** What can be done with a node. Whatever moves client systems is first shown, by the functions that would do it. */
export function Actions({ node, asked, onAsk }: Props) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const { id, zone, status, kind } = node;
  const isServing = !['dropped', 'absent', 'waiting'].includes(status);
  const mayReplace = may(rights, 'replaceNode', zone);
  const close = (): void => onAsk(undefined);
  return (
    <div className="actions">
      {kind === 'uyuni' && status === 'up' && <EnterLink node={id}>Open on the server</EnterLink>}
      {isServing && (
        <button type="button" className="primary" onClick={() => onAsk('lose')}>
          What if it were lost?
        </button>
      )}
      {may(rights, 'leaveNode', zone) && <Leave node={node} onAsk={onAsk} />}
      {isServing && may(rights, 'dropNode', zone) && (
        <button type="button" className="danger" onClick={() => onAsk('drop')}>
          Drop…
        </button>
      )}
      {mayReplace && (
        <button type="button" onClick={() => onAsk('replace')}>
          Replace…
        </button>
      )}
      {isWhat(asked) && <WhatIf what={asked} node={node} onClose={close} />}
      {asked === 'replace' && mayReplace && <ReplaceDialog node={node} onClose={close} />}
    </div>
  );
}

/** Has a node leave, for good or for a while, or stay after all. */
function Leave({ node: { id, fqdn, status }, onAsk }: Pick<Props, 'node' | 'onAsk'>) {
  const leave = (mode: 'hold' | 'stay') => () => call('leaveNode', { params: { id }, body: { mode } });
  if (status === 'up')
    return (
      <>
        <button type="button" onClick={() => onAsk('drain')}>
          Drain…
        </button>
        <OrderButton does={leave('hold')} done={`${fqdn} may be away: its client systems wait for it`}>
          Hold
        </OrderButton>
      </>
    );
  if (status !== 'leaving' && status !== 'quarantined') return null;
  return (
    <OrderButton does={leave('stay')} done={`${fqdn} stays`}>
      {status === 'leaving' ? 'Let it stay' : 'Release it'}
    </OrderButton>
  );
}

const isWhat = (asked: string | undefined): asked is 'drain' | 'drop' | 'lose' => asked === 'drain' || asked === 'drop' || asked === 'lose';
