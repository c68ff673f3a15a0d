import { readResponse } from '../../lib/uyuni/xml-rpc/read.ts';
import type { Fault, Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { administrator } from '../../tools/support/uyuni/played-server.ts';

/** An XML-RPC answer that was a fault. */
export class FaultAnswer extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`fault ${fault.code}: ${fault.text}`);
    this.fault = fault;
  }
}

/** Calls a method of a server by XML-RPC. Throws {@link FaultAnswer}. */
export async function callUyuni(url: string, method: string, ...params: readonly Value[]): Promise<Value> {
  const response = await fetch(`${url}/rpc/api`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: callText(method, params),
  });
  const answer = readResponse(await response.text());
  if (!answer.ok) throw new FaultAnswer(answer.fault);
  return answer.value;
}

/** The calls of a person who has logged in; the administrator unless another is given. */
export async function logIn(url: string, { login, password }: { login: string; password: string } = administrator) {
  const key = await callUyuni(url, 'auth.login', login, password);
  return Object.assign((method: string, ...params: readonly Value[]) => callUyuni(url, method, key, ...params), { key: String(key) });
}

/** The fault that a call is answered with. */
export async function faultOf(call: Promise<Value>): Promise<Fault> {
  try {
    await call;
  } catch (error) {
    if (error instanceof FaultAnswer) return error.fault;
    throw error;
  }
  throw new Error('the call was answered with a value');
}
