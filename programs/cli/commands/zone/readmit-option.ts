import { Option } from 'commander';

/** The option of verbs that say who lets a node that was given up come back; `usual` is what holds without it. */
export const readmitOption = (usual?: string): Option =>
  new Option(
    '--readmit <who>',
    `who lets a node that was given up come back: it itself, flushed, or \`node admit\`${usual === undefined ? '' : `; ${usual}`}`,
  ).choices(['auto', 'admin']);
