import { useState } from 'react';
import { call, type Reply } from '../../api/call.ts';
import type { Rights } from '../../api/rights.ts';
import { Field } from '../../kit/kit.tsx';
import { client } from '../../live/queries.ts';
import { numberIn, textIn } from '../picking/form-fields.ts';
import { ZoneSelect } from '../picking/zone-select.tsx';
import { wordsIn } from '../systems/labels.ts';
import { clientCommand } from './commands.ts';
import { Secret } from './secret.tsx';
import { endOf, SpanSelect, TokenForm, UseFields } from './token-fields.tsx';

/** A deployment is made for so many machines, and a token accepts no more. */
const usesMax = 1_000_000;

/** Makes an onboarding token, and shows its secret once. */
export function OnboardingTokenForm({ rights, onClose }: { readonly rights: Rights | undefined; readonly onClose: () => void }) {
  const [made, setMade] = useState<Reply<'createOnboardingToken'>>();
  const make = async (form: FormData): Promise<void> => {
    const [zone, cidr] = [textIn(form, 'zone'), textIn(form, 'cidr')];
    const body = {
      ...(zone !== undefined && { zone }),
      ...(cidr !== undefined && { cidr }),
      tags: wordsIn(textIn(form, 'tags') ?? ''),
      groups: wordsIn(textIn(form, 'groups') ?? ''),
      uses: numberIn(form, 'uses') ?? 1,
      expiresAt: endOf(numberIn(form, 'span') ?? 0),
    };
    setMade(await call('createOnboardingToken', { body }));
    await client.invalidateQueries({ queryKey: ['tokens'] });
  };
  if (made) {
    const { secret, token } = made;
    return (
      <Secret title={`Onboarding token ${token.id}`} secret={secret} command={clientCommand(location.origin, secret)} onClose={onClose} />
    );
  }
  return (
    <TokenForm title="New onboarding token" onSubmit={make} onClose={onClose}>
      <ZoneSelect rights={rights} route="createOnboardingToken" />
      <Field label="Tags">{(id) => <input id={id} name="tags" autoComplete="off" spellCheck={false} placeholder="web frontend" />}</Field>
      <Field label="Groups">{(id) => <input id={id} name="groups" autoComplete="off" spellCheck={false} />}</Field>
      <UseFields usesMax={usesMax} />
      <SpanSelect preset={1} />
    </TokenForm>
  );
}
