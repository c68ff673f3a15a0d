import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Sent } from '../../api/call.ts';
import type { Rights } from '../../api/rights.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Field } from '../../kit/kit.tsx';
import { client } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { numberIn, textIn } from '../picking/form-fields.ts';
import { ZoneSelect } from '../picking/zone-select.tsx';
import type { Host } from './hosts.ts';
import { KindSelect } from './kind-select.tsx';

type Props = { readonly rights: Rights | undefined; readonly onClose: () => void };
type Rule = NonNullable<Sent<'addAdmissionRule'>['body']>;

/** The rule that a form asks for. */
function ruleIn(form: FormData, kind: Host['kind'] | undefined): Rule {
  const [cidr, zone, left] = [textIn(form, 'cidr'), textIn(form, 'zone'), numberIn(form, 'left')];
  return {
    name: textIn(form, 'name') ?? '',
    nodes: textIn(form, 'nodes') ?? '',
    ...(cidr !== undefined && { cidr }),
    ...(kind && { kind }),
    ...(zone !== undefined && { zone }),
    ...(left !== undefined && { left }),
    ...(form.get('anyWatch') !== null && { anyWatch: true }),
  };
}

/** A new rule. One with the name of another would replace that, so it is refused here. */
export function RuleForm({ rights, onClose }: Props) {
  const [kind, setKind] = useState<Host['kind']>();
  const { data: rules = [] } = useQuery(poolAsks.rules);
  const add = async (form: FormData): Promise<string> => {
    const rule = ruleIn(form, kind);
    if (rules.some(({ name }) => name === rule.name)) throw new Error(`There is a rule ${rule.name} already: delete it first.`);
    await call('addAdmissionRule', { body: rule });
    void client.invalidateQueries({ queryKey: poolAsks.rules.queryKey });
    return `Rule ${rule.name} admits hosts from now on`;
  };
  return (
    <Confirm title="New admission rule" action="Add the rule" does={add} done={(said) => said} onClose={onClose}>
      <Fields />
      <Field label="Kind">{(id) => <KindSelect id={id} any="any" kind={kind} onKind={setKind} />}</Field>
      <ZoneSelect rights={rights} route="addAdmissionRule" />
      <label className="check">
        <input type="checkbox" name="anyWatch" /> They may be watched at any address, not only at their own
      </label>
    </Confirm>
  );
}

/** Which hosts a rule is about, and how many of them it lets in. */
const Fields = () => (
  <>
    <Field label="Name">
      {(id) => <input id={id} name="name" required pattern="[a-z][a-z0-9\-]{0,39}" title="1 to 40 of a-z, 0-9 and -" autoComplete="off" />}
    </Field>
    <Field label="Host names" hint="ssu[1-40].acme.org, with commas between several; * stands for letters of one label">
      {(id) => <input id={id} name="nodes" required autoComplete="off" spellCheck={false} />}
    </Field>
    <Field label="Network" hint="10.20.0.0/16; empty for any">
      {(id) => <input id={id} name="cidr" autoComplete="off" spellCheck={false} />}
    </Field>
    <Field label="How many" hint="empty for any number">
      {(id) => <input id={id} name="left" type="number" min="1" />}
    </Field>
  </>
);
