import type { BuiltIn } from '../../programs/agent/built-in.ts';

/** A program that hosts get as one executable, and the files that come with it. They are in `packaging/<folder>/`. */
export type Packed = {
  /** Its name, and that of its unit and package. */
  readonly name: string;
  readonly folder: string;
  /** The file to run, from the project's root. */
  readonly entry: string;
  /** Its defaults; the builder names the endpoint, the services and the power program. */
  readonly builtIn: Omit<BuiltIn, 'endpoint' | 'allowService' | 'powerCommand'> & { readonly config: string };
  /** The description of its package, in a line and in a few. */
  readonly is: string;
  readonly description: readonly string[];
};

/** The node agent. The folder is the StateDirectory of its unit. */
export const agent: Packed = {
  name: 'muster-agent',
  folder: 'agent',
  entry: 'programs/agent/main.ts',
  builtIn: { config: '/etc/muster/agent.conf', home: '/var/lib/muster-agent' },
  is: 'node agent of the Muster cluster control plane',
  description: ['Makes this host a node of Muster and keeps it one: one executable that', 'needs no Node.js on the host.'],
};
