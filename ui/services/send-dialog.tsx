import { useState } from 'react';
import { call } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Field } from '../kit/kit.tsx';
import { client } from '../live/queries.ts';
import type { Service, ServiceType } from './asks.ts';
import { JsonField } from './json-field.tsx';
import { parsedJson } from './listed.ts';

type Props = { readonly of: Service; readonly type: ServiceType; readonly onClose: () => void };

/** Sends a service one of the messages that its type declares; the answer appears among its answers. */
export function SendDialog({ of: { zone, type: name, node, host }, type: { messages }, onClose }: Props) {
  const [message, setMessage] = useState(messages[0]?.name ?? '');
  const [text, setText] = useState('');
  const { value: data, fault } = text.trim() === '' ? { value: undefined } : parsedJson(text, false);
  const body = { node, message, ...(data !== undefined && { data }) };
  return (
    <Confirm
      title={`Send ${name} on ${host} a message`}
      action="Send it"
      leave="Close"
      isIncomplete={fault !== undefined}
      does={() => call('sendService', { params: { zone, type: name }, body })}
      done={({ because }) => {
        void client.invalidateQueries({ queryKey: ['services', zone, name, node] });
        return because;
      }}
      onClose={onClose}
    >
      <Field label="Message">
        {(id) => (
          <select id={id} value={message} onChange={(event) => setMessage(event.target.value)}>
            {messages.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      <p className="soft">
        Its data: <code>{JSON.stringify(messages.find((one) => one.name === message)?.data)}</code>
      </p>
      <JsonField label="Data" text={text} fault={fault} onChange={setText} />
    </Confirm>
  );
}
