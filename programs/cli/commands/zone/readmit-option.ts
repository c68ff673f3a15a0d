import { Option } from 'commander';

/** The option of verbs that set how a node that was given up comes back; `usual` names the default. */
export const readmitOption = (usual?: string): Option =>
  new Option(
    '--readmit <who>',
    `how a node that was given up comes back: by itself, flushed (auto), or by \`node admit\` (admin)${usual === undefined ? '' : `; ${usual}`}`,
  ).choices(['auto', 'admin']);
