import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Rights } from '../../api/rights.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Field } from '../../kit/kit.tsx';
import type { Host } from '../hosts/hosts.ts';
import { KindSelect } from '../hosts/kind-select.tsx';
import { numberIn, textIn } from '../picking/form-fields.ts';
import { ZoneSelect } from '../picking/zone-select.tsx';
import { agentCommand } from './commands.ts';
import { type Made, type MakeProps, shown } from './made.tsx';
import { endOf, SpanSelect, UseFields } from './token-fields.tsx';

type Kind = Host['kind'];

/** A token records each host that it lets in, and no more than so many. */
const usesMax = 1_000;

/** Makes a node token. */
export function NodeTokenForm({ rights, onMade, onClose }: MakeProps & { readonly rights: Rights | undefined }) {
  const [kind, setKind] = useState<Kind>('uyuni');
  return (
    <Confirm title="New node token" action="Make the token" does={(form) => make(form, kind)} done={shown(onMade)} onClose={onClose}>
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
    </Confirm>
  );
}

async function make(form: FormData, kind: Kind): Promise<Made> {
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
  const { secret, token } = await call('createNodeToken', { body });
  return { title: `Node token ${token.id}`, secret, command: agentCommand(location.origin, secret, token) };
}
