import type { ServiceProgram, ServiceType } from './service-type.ts';

type BuiltIn = Extract<ServiceProgram, { is: 'built-in' }>['does'];

/** Of the types that come with Muster, those whose configuration is the command. */
const builtIn: readonly BuiltIn[] = ['process'];

/**
 * Whether the configuration or a message of a service of this type may be run as a command on its host. That is assumed
 * of a type that was put, unless the operator has promised otherwise: a program can make a command of anything.
 */
export const takesCommand = ({ program, takesCommand: promised }: Pick<ServiceType, 'program' | 'takesCommand'>): boolean =>
  program.is === 'built-in' ? builtIn.includes(program.does) : promised !== false;
