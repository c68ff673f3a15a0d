import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../api/call.ts';
import { may, mayAnywhere, type Rights } from '../../api/rights.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty, number, Panel, Refused } from '../../kit/kit.tsx';
import { Table } from '../../kit/table.tsx';
import { client } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { RuleForm } from './rule-form.tsx';

type Rule = Reply<'listAdmissionRules'>['rules'][number];

/** The rules by which hosts become nodes without a token or an operator, in the order in which they are read. */
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
  <Table
    of={rules}
    keyOf={({ name }) => name}
    columns={[
      { title: 'Rule', cell: ({ name }) => name },
      { title: 'Names', cell: ({ nodes }) => <code>{nodes}</code> },
      { title: 'Network', cell: ({ cidr }) => cidr ?? 'any' },
      { title: 'Kind', cell: ({ kind }) => kind ?? 'any' },
      { title: 'Into', cell: ({ zone }) => zone },
      { title: 'More', is: 'number', cell: ({ left }) => (left === undefined ? 'any number' : number(left)) },
      { title: 'Watched', cell: ({ anyWatch }) => (anyWatch ? 'anywhere' : 'at their own address') },
      {
        title: 'Orders',
        isUnseen: true,
        cell: (rule) =>
          may(rights, 'deleteAdmissionRule', rule.zone) && (
            <button type="button" onClick={() => onDelete(rule)}>
              Delete…
            </button>
          ),
      },
    ]}
  />
);

const DeleteRule = ({ rule: { name, nodes }, onClose }: { readonly rule: Rule; readonly onClose: () => void }) => (
  <Confirm
    title={`Delete rule ${name}?`}
    action={`Delete ${name}`}
    leave="Keep it"
    isDanger
    does={() => call('deleteAdmissionRule', { params: { name } })}
    done={() => {
      void client.invalidateQueries({ queryKey: poolAsks.rules.queryKey });
      return `Rule ${name} is deleted`;
    }}
    onClose={onClose}
  >
    <p>
      Hosts that match <code>{nodes}</code> wait for an operator from now on, unless another rule admits them. Nodes that it let in stay.
    </p>
  </Confirm>
);
