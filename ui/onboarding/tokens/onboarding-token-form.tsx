import { call } from '../../api/call.ts';
import type { Rights } from '../../api/rights.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Field } from '../../kit/kit.tsx';
import { numberIn, textIn } from '../picking/form-fields.ts';
import { ZoneSelect } from '../picking/zone-select.tsx';
import { wordsIn } from '../systems/labels.ts';
import { clientCommand } from './commands.ts';
import { type Made, type MakeProps, shown } from './made.tsx';
import { endOf, SpanSelect, UseFields } from './token-fields.tsx';

/** A deployment is made for so many machines, and a token accepts no more. */
const usesMax = 1_000_000;

/** Makes an onboarding token. */
export const OnboardingTokenForm = ({ rights, onMade, onClose }: MakeProps & { readonly rights: Rights | undefined }) => (
  <Confirm title="New onboarding token" action="Make the token" does={make} done={shown(onMade)} onClose={onClose}>
    <ZoneSelect rights={rights} route="createOnboardingToken" />
    <Field label="Tags">{(id) => <input id={id} name="tags" autoComplete="off" spellCheck={false} placeholder="web frontend" />}</Field>
    <Field label="Groups">{(id) => <input id={id} name="groups" autoComplete="off" spellCheck={false} />}</Field>
    <UseFields usesMax={usesMax} />
    <SpanSelect preset={1} />
  </Confirm>
);

async function make(form: FormData): Promise<Made> {
  const [zone, cidr] = [textIn(form, 'zone'), textIn(form, 'cidr')];
  const body = {
    ...(zone !== undefined && { zone }),
    ...(cidr !== undefined && { cidr }),
    tags: wordsIn(textIn(form, 'tags') ?? ''),
    groups: wordsIn(textIn(form, 'groups') ?? ''),
    uses: numberIn(form, 'uses') ?? 1,
    expiresAt: endOf(numberIn(form, 'span') ?? 0),
  };
  const { secret, token } = await call('createOnboardingToken', { body });
  return { title: `Onboarding token ${token.id}`, secret, command: clientCommand(location.origin, secret) };
}
