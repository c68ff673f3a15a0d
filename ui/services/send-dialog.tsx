import { useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Field, Refused } from '../kit/kit.tsx';
import { say } from '../kit/toasts.tsx';
import { client } from '../live/queries.ts';
import type { Service, ServiceType } from './asks.ts';
import { JsonField } from './json-field.tsx';
import { parsedJson } from './listed.ts';

type Props = { readonly of: Service; readonly type: ServiceType; readonly onClose: () => void };

/** Sends a service one of the messages that its type declares; the answer appears among its answers. */
export function SendDialog({ of: { zone, type: name, node, host }, type, onClose }: Props) {
  const [message, setMessage] = useState(type.messages[0]?.name ?? '');
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<unknown>();
  const schema = type.messages.find((one) => one.name === message)?.data;
  const fault = text.trim() === '' ? undefined : parsedJson(text, false).fault;
  const send = async (): Promise<void> => {
    try {
      const data: unknown = text.trim() === '' ? undefined : JSON.parse(text);
      const body = { node, message, ...(data !== undefined && { data }) };
      say((await call('sendService', { params: { zone, type: name }, body })).because);
      await client.invalidateQueries({ queryKey: ['services', zone, name, node] });
      onClose();
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog label={`Send ${name} a message`} onClose={onClose}>
      <h2>
        Send {name} on {host} a message
      </h2>
      <Field label="Message">
        {(id) => (
          <select id={id} value={message} onChange={(event) => setMessage(event.target.value)}>
            {type.messages.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      <p className="soft">
        Its data: <code>{JSON.stringify(schema)}</code>
      </p>
      <JsonField label="Data" text={text} fault={fault} onChange={setText} />
      <Refused error={refused} />
      <div className="actions">
        <button type="button" className="primary" disabled={fault !== undefined} onClick={() => void send()}>
          Send it
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
