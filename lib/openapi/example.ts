import type * as z from 'zod';
import type { BodyInputOf, Route } from '../api/route.ts';
import type { contract } from '../contract.ts';

type Contract = typeof contract;
type ReplyInputOf<T> = T extends Route<infer _P, infer _Q, infer _B, infer R> ? z.input<R> : never;
/** The bodies and answers of routes, by their names in the contract. */
export type Examples = {
  readonly [N in keyof Contract]?: { readonly body?: BodyInputOf<Contract[N]>; readonly reply?: ReplyInputOf<Contract[N]> };
};

/** When everything in the examples happens. */
export const at = '2026-05-01T12:00:00Z';
/** The key of the machines in the examples: in full, and as people compare it. */
export const fp = '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b';
/** The same as people compare it. */
export const fingerprint = '6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b';
/** The public key of the machine that introduces itself. */
export const publicKey = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
/** The machine's id as Salt and systemd know it. */
export const machineId = '4c4c4544003010358033b4c04f';
/** The node of the examples. */
export const id = 'n0123456789abcdef';
/** Its name. */
export const fqdn = 'node7.acme.org';
/** The load in its heartbeats. */
export const load = { load1: 0.42, load5: 0.4, load15: 0.38, memoryUsedMib: 9_216, memoryMib: 16_384, systems: 101 };
/** The facts that it reports of its host. */
export const facts = {
  fqdn,
  address: '192.0.2.7',
  memoryMib: 16_384,
  cpus: 8,
  interfaces: [{ name: 'eth0', address: '192.0.2.7', mac: '52:54:00:00:00:07' }],
};
