import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../api/call.ts';
import { may, mayAnywhere, type Rights } from '../../api/rights.ts';
import { Dialog, Empty, number, Panel, Refused } from '../../kit/kit.tsx';
import { doing } from '../../kit/toasts.tsx';
import { client } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { RuleForm } from './rule-form.tsx';

type Rule = Reply<'listAdmissionRules'>['rules'][number];

/** The rules by which hosts become nodes without a token and without an operator, in the order in which they are read. */
export function Rules({ rights }: { readonly rights: Rights | undefined }) {
  const { data, error } = useQuery(poolAsks.rules);
  const [asked, ask] = useState<'new' | Rule>();
  const close = (): void => ask(undefined);
  const add = mayAnywhere(rights, 'addAdmissionRule') && (
    <button type="button" onClick={() => ask('new')}>
      New rule…
    </button>
  );
  return (
    <Panel title="Admission rules" actions={add} className="rules">
      <p className="soft">The first rule that fits admits a host. A host states its own name: give rules a network, a count, or both.</p>
      <Refused error={error} />
      {data?.length === 0 && <Empty>There is no rule: every host without a token waits for an operator.</Empty>}
      {data !== undefined && data.length > 0 && <RuleTable rules={data} rights={rights} onDelete={ask} />}
      {asked === 'new' && <RuleForm rights={rights} onClose={close} />}
      {asked !== undefined && asked !== 'new' && <DeleteRule rule={asked} onClose={close} />}
    </Panel>
  );
}

type TableProps = { readonly rules: readonly Rule[]; readonly rights: Rights | undefined; readonly onDelete: (rule: Rule) => void };

const RuleTable = ({ rules, rights, onDelete }: TableProps) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>Rule</th>
          <th>Names</th>
          <th>Network</th>
          <th>Kind</th>
          <th>Into</th>
          <th className="number">More</th>
          <th>Watched</th>
          <th>
            <span className="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.name}>
            <td>{rule.name}</td>
            <td>
              <code>{rule.nodes}</code>
            </td>
            <td>{rule.cidr ?? 'any'}</td>
            <td>{rule.kind ?? 'any'}</td>
            <td>{rule.zone}</td>
            <td className="number">{rule.left === undefined ? 'any number' : number(rule.left)}</td>
            <td>{rule.anyWatch ? 'anywhere' : 'at their own address'}</td>
            <td>
              {may(rights, 'deleteAdmissionRule', rule.zone) && (
                <button type="button" onClick={() => onDelete(rule)}>
                  Delete…
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function DeleteRule({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }) {
  const remove = async (): Promise<void> => {
    await doing(call('deleteAdmissionRule', { params: { name: rule.name } }), `Rule ${rule.name} is deleted`);
    await client.invalidateQueries({ queryKey: ['hosts', 'rules'] });
    onClose();
  };
  return (
    <Dialog label="Delete a rule" onClose={onClose}>
      <h2>Delete rule {rule.name}?</h2>
      <p>
        Hosts that match <code>{rule.nodes}</code> wait for an operator from now on, unless another rule admits them. Nodes that it let in
        stay.
      </p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="danger" onClick={() => void remove()}>
          Delete {rule.name}
        </button>
      </div>
    </Dialog>
  );
}
