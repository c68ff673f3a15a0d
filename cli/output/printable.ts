export { printable } from '../../lib/printable.ts';
