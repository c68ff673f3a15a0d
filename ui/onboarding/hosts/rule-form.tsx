import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import type { Rights } from '../../api/rights.ts';
import { Dialog, Field, Refused } from '../../kit/kit.tsx';
import { say } from '../../kit/toasts.tsx';
import { client } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { numberIn, textIn } from '../picking/form-fields.ts';
import { ZoneSelect } from '../picking/zone-select.tsx';
import type { Host } from './hosts.ts';
import { KindSelect } from './kind-select.tsx';

type Props = { readonly rights: Rights | undefined; readonly onClose: () => void };

/** A new rule. One with the name of another would replace that, so it is refused here. */
export function RuleForm({ rights, onClose }: Props) {
  const [kind, setKind] = useState<Host['kind']>();
  const [error, setError] = useState<unknown>();
  const { data: rules = [] } = useQuery(poolAsks.rules);
  const add = async (form: FormData): Promise<void> => {
    const [name, nodes, cidr, left] = [textIn(form, 'name'), textIn(form, 'nodes'), textIn(form, 'cidr'), numberIn(form, 'left')];
    const zone = textIn(form, 'zone');
    if (rules.some((rule) => rule.name === name)) return setError(new Error(`There is a rule ${name} already: delete it first.`));
    const anyWatch = form.get('anyWatch') !== null;
    try {
      await call('addAdmissionRule', {
        body: {
          name: name ?? '',
          nodes: nodes ?? '',
          ...(cidr !== undefined && { cidr }),
          ...(kind && { kind }),
          ...(zone !== undefined && { zone }),
          ...(left !== undefined && { left }),
          ...(anyWatch && { anyWatch }),
        },
      });
      await client.invalidateQueries({ queryKey: ['hosts', 'rules'] });
      say(`Rule ${name} admits hosts from now on`);
      onClose();
    } catch (refused) {
      setError(refused);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void add(new FormData(event.currentTarget));
  };
  return (
    <Dialog label="New rule" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>New admission rule</h2>
        <Field label="Name">
          {(id) => (
            <input id={id} name="name" required pattern="[a-z][a-z0-9\-]{0,39}" title="1 to 40 of a-z, 0-9 and -" autoComplete="off" />
          )}
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
        <Field label="Kind">{(id) => <KindSelect id={id} any="any" kind={kind} onKind={setKind} />}</Field>
        <ZoneSelect rights={rights} route="addAdmissionRule" />
        <label className="check">
          <input type="checkbox" name="anyWatch" /> They may be watched at any address, not only at their own
        </label>
        <Refused error={error} />
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Add the rule
          </button>
        </div>
      </form>
    </Dialog>
  );
}
