import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';

/** `--kind KIND`. */
export const kindOption = (does: string): Option => new Option('--kind <kind>', does).choices(contract.join.body!.shape.kind.options);
