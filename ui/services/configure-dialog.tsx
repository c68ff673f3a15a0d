import { useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Refused } from '../kit/kit.tsx';
import { say } from '../kit/toasts.tsx';
import type { Service } from './asks.ts';
import { JsonField } from './json-field.tsx';
import { parsedJson } from './listed.ts';

/** Gives a service another configuration, with which it is started again. */
export function ConfigureDialog({ of, onClose }: { readonly of: Service; readonly onClose: () => void }) {
  const { zone, type, node, host, configuration } = of;
  const [text, setText] = useState(() => JSON.stringify(configuration, null, 2));
  const [refused, setRefused] = useState<unknown>();
  const { fault } = parsedJson(text);
  const order = async (): Promise<void> => {
    try {
      const body = { node, configuration: JSON.parse(text) as Record<string, unknown> };
      say((await call('reconfigureService', { params: { zone, type }, body })).because);
      onClose();
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog label={`Configure ${type}`} onClose={onClose} isWide>
      <h2>
        Configure {type} on {host}
      </h2>
      <p>The service is started again with this. The same configuration changes nothing. A masked secret stays as it is.</p>
      <JsonField label="Configuration" text={text} fault={fault} onChange={setText} />
      <Refused error={refused} />
      <div className="actions">
        <button type="button" className="danger" disabled={fault !== undefined} onClick={() => void order()}>
          Start it again with this
        </button>
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
      </div>
    </Dialog>
  );
}
