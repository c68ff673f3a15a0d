import type { Fault } from '../xml-rpc/value.ts';
import { kindOf, type Typed } from './typed.ts';

const internal = (why: string): Fault => ({ code: -1, text: `unhandled internal exception: ${why}` });

/** How Java names what an argument is, which a server's fault lists. */
const classes: Readonly<Record<ReturnType<typeof kindOf>, string>> = {
  int: 'java.lang.Integer',
  long: 'java.lang.Long',
  boolean: 'java.lang.Boolean',
  double: 'java.lang.Double',
  string: 'java.lang.String',
  date: 'java.util.Date',
  base64: '[B',
  nil: 'null',
  array: 'redstone.xmlrpc.XmlRpcArray',
  struct: 'redstone.xmlrpc.XmlRpcStruct',
};

/**
 * Faults with the codes of a Uyuni server, so that programs take them as they take its own. What several servers cannot
 * answer as one is 10003, “unsupported”.
 */
export const faults = {
  /** A document that cannot be read as a call. */
  unreadable: (why: string): Fault => internal(`the call cannot be read: ${why}`),
  noSuchMethod: (name: string, given: readonly Typed[]): Fault => {
    const dot = name.lastIndexOf('.');
    const params = given.map((one) => classes[kindOf(one)]).join(', ');
    return {
      code: -1,
      text: `Could not find method: ${name.slice(dot + 1)} in class: ${name.slice(0, Math.max(0, dot))} with params: [${params}]`,
    };
  },
  /** Programs sign in again when a fault has these words. */
  noSuchSession: (key: string): Fault => ({
    ...internal(`Could not find session with id: ${key.split('x', 1)[0]}`),
    http: { status: 401 },
  }),
  /** A server at which the person has no session, or none any more. */
  signInAgain: (node: string, why: string): Fault => ({
    ...internal(`Could not find session at ${node}: ${why}; sign in again`),
    http: { status: 401 },
  }),
  noSuchSystem: (id: number): Fault => ({ code: -208, text: `No such system - sid[${id}]` }),
  /** Of an action; servers say the same of their own. */
  noSuchAction: (id: number): Fault => ({ code: 2700, text: `Could not find action with id: ${id}` }),
  /** What the gateway does not do with several servers; `why` is a sentence without its full stop. */
  unsupported: (name: string, why: string): Fault => ({ code: 10003, text: `Muster does not pass ${name} on: ${why}.` }),
  /** A node that did not answer. */
  noAnswer: (node: string, why: string): Fault => internal(`${node} did not answer: ${why}`),
  nobody: (why: string): Fault => internal(`no server can be asked: ${why}`),
  /** Numbers of actions could not be had, or not be recorded. */
  noNumber: internal,
  invalid: (why: string): Fault => ({ code: 2800, text: why }),
  /** What the JSON interface does not have at a path; servers say no more either. */
  notThere: (why: string): Fault => ({ code: -1, text: why, http: { status: 403, type: 'text/plain' } }),
} as const;
