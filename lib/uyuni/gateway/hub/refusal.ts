import type { Fault } from '../../xml-rpc/value.ts';

/** A call by a name of the hub that is answered by a fault as a whole; no server hears of it. */
export class HubRefused extends Error {
  override readonly name = 'HubRefused';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.text);
    this.fault = fault;
  }
}

/** The fault for arguments that a method does not take, with the code of XML-RPC for it, which the hub declares. */
export const badArguments = (method: string, why: string): HubRefused =>
  new HubRefused({ code: -32602, text: `${method} does not take these arguments: ${why}` });

/** The fault for a number that no server has. */
export const noSuchServer = (id: number): Fault => ({ code: -32602, text: `No server has the number ${id}: see hub.listServers` });
