import { useState } from 'react';
import { call } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import type { Service } from './asks.ts';
import { JsonField } from './json-field.tsx';
import { parsedJson } from './listed.ts';

/** Gives a service another configuration, with which it is started again. */
export function ConfigureDialog({ of, onClose }: { readonly of: Service; readonly onClose: () => void }) {
  const { zone, type, node, host, configuration } = of;
  const [text, setText] = useState(() => JSON.stringify(configuration, null, 2));
  const { fault } = parsedJson(text);
  const body = (): { readonly node: string; readonly configuration: Record<string, unknown> } => ({
    node,
    configuration: JSON.parse(text),
  });
  return (
    <Confirm
      title={`Configure ${type} on ${host}`}
      action="Start it again with this"
      leave="Leave it as it is"
      isDanger
      isWide
      isIncomplete={fault !== undefined}
      does={() => call('reconfigureService', { params: { zone, type }, body: body() })}
      done={({ because }) => because}
      onClose={onClose}
    >
      <p>The service is started again with this. The same configuration changes nothing. A masked secret stays as it is.</p>
      <JsonField label="Configuration" text={text} fault={fault} onChange={setText} />
    </Confirm>
  );
}
