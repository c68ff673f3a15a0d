import type { ServiceProgram, ServiceType } from './service-type.ts';

type BuiltIn = Extract<ServiceProgram, { is: 'built-in' }>['does'];

/** Of the types that come with Muster, those whose configuration is the command. */
const builtIn: readonly BuiltIn[] = ['process'];

/**
 * Whether what a service of this type is configured by, or sent, may end up as a command on its host. Of a type that
 * was put this is taken for granted unless whoever put it has promised that it is not so: a program can make a command
 * of anything.
 */
export const takesCommand = ({ program, takesCommand: said }: Pick<ServiceType, 'program' | 'takesCommand'>): boolean =>
  program.is === 'built-in' ? builtIn.includes(program.does) : said !== false;
