import type { Fault } from '../../../../lib/uyuni/xml-rpc/value.ts';

/** A fault that a method answers with; its transaction is rolled back. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly fault: Fault;

  constructor(code: number, text: string) {
    super(text);
    this.fault = { code, text };
  }
}

/** The faults of the methods that are played, with the codes of the server. */
export const faults = {
  wrongLogin: () => new ApiFault(2950, 'Either the password or username is incorrect.'),
  noSuchSession: (id: string) => new ApiFault(-1, `unhandled internal exception: Could not find session with id: ${id}`),
  wrongSession: (id: string) => new ApiFault(-1, `unhandled internal exception: Session id: ${id} is not valid.`),
  readOnly: (method: string) => new ApiFault(-1, `unhandled internal exception: The ${method} API is not available to read-only API users`),
  permission: (role: string) => new ApiFault(-23, `You do not have permissions to perform this action. Must be ${role}`),
  noSuchMethod: (method: string, namespace: string, kinds: readonly string[]) =>
    new ApiFault(-1, `Could not find method: ${method} in class: ${namespace} with params: [${kinds.join(', ')}]`),
  notPlayed: (method: string) => new ApiFault(-1, `${method} is a method of the server that is not played here`),
  noSuchSystem: (sid: number) => new ApiFault(-208, `No such system - sid[${sid}]`),
  noSuchChannel: (label: string | number) => new ApiFault(-210, `No such channel ${label}`),
  invalidChannel: (label: string) => new ApiFault(-211, `Invalid channel ${label}`),
  invalidEntitlement: () => new ApiFault(-212, 'Invalid entitlement specified.'),
  noSuchUser: (login: string) => new ApiFault(-213, `No such user ${login}`),
  noSuchGroup: (group: string | number) => new ApiFault(2201, `Unable to locate or access server group: ${group}`),
  doubleGroup: (name: string) => new ApiFault(2200, `Duplicate server group requested to be created..[${name}]`),
  noSuchErrata: (name: string) => new ApiFault(2600, `The errata ${name} cannot be found.`),
  noSuchAction: (id: number) => new ApiFault(2700, `Could not find action with id: ${id}`),
  invalid: (why: string) => new ApiFault(2800, why),
  invalidParameter: (why: string) => new ApiFault(-12, why),
  exists: (what: string) => new ApiFault(10100, `Entity already exists: ${what}`),
  missing: (what: string) => new ApiFault(10101, what),
  noSuchFile: (path: string, label: string) => new ApiFault(-1029, `No such configuration file path: ${path} in config channel: ${label}`),
  doubleKey: () => new ApiFault(1090, 'activation_key_already_exists'),
  noSuchKey: (key: string) => new ApiFault(10001, `Could not find activation key: ${key}`),
  internal: (why: string) => new ApiFault(-1, `unhandled internal exception: ${why}`),
} as const;
