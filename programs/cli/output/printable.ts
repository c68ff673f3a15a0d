export { printable } from '../../../lib/core/printable.ts';
