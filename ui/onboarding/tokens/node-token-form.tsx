import { useState } from 'react';
import { call, type Reply } from '../../api/call.ts';
import type { Rights } from '../../api/rights.ts';
import { Field } from '../../kit/kit.tsx';
import { client } from '../../live/queries.ts';
import type { Host } from '../hosts/hosts.ts';
import { KindSelect } from '../hosts/kind-select.tsx';
import { numberIn, textIn } from '../picking/form-fields.ts';
import { ZoneSelect } from '../picking/zone-select.tsx';
import { agentCommand } from './commands.ts';
import { Secret } from './secret.tsx';
import { endOf, SpanSelect, TokenForm, UseFields } from './token-fields.tsx';

/** A token records each host that it lets in, and no more than so many. */
const usesMax = 1_000;

/** Makes a node token, and shows its secret once. */
export function NodeTokenForm({ rights, onClose }: { readonly rights: Rights | undefined; readonly onClose: () => void }) {
  const [made, setMade] = useState<Reply<'createNodeToken'>>();
  const [kind, setKind] = useState<Host['kind']>('uyuni');
  const make = async (form: FormData): Promise<void> => {
    const [zone, cidr] = [textIn(form, 'zone'), textIn(form, 'cidr')];
    const body = {
      nodes: textIn(form, 'nodes') ?? '',
      kind,
      ...(zone !== undefined && { zone }),
      ...(cidr !== undefined && { cidr }),
      uses: numberIn(form, 'uses') ?? 1,
      expiresAt: endOf(numberIn(form, 'span') ?? 0),
      anyWatch: form.get('anyWatch') !== null,
    };
    setMade(await call('createNodeToken', { body }));
    await client.invalidateQueries({ queryKey: ['tokens'] });
  };
  if (made) {
    const { secret, token } = made;
    return (
      <Secret title={`Node token ${token.id}`} secret={secret} command={agentCommand(location.origin, secret, token)} onClose={onClose} />
    );
  }
  return (
    <TokenForm title="New node token" onSubmit={make} onClose={onClose}>
      <Field label="Host names" hint="node7.acme.org, once and within an hour; or a set: ssu[1-40].acme.org">
        {(id) => <input id={id} name="nodes" required autoComplete="off" spellCheck={false} />}
      </Field>
      <Field label="Kind">{(id) => <KindSelect id={id} kind={kind} onKind={(chosen) => chosen && setKind(chosen)} />}</Field>
      <ZoneSelect rights={rights} route="createNodeToken" />
      <UseFields usesMax={usesMax} />
      <SpanSelect preset={0} />
      <label className="check">
        <input type="checkbox" name="anyWatch" /> Its hosts may be watched at any address, not only at their own
      </label>
    </TokenForm>
  );
}
