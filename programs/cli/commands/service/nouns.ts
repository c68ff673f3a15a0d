import type { Noun } from '../tree.ts';
import { find, list } from './list.ts';
import { show } from './show.ts';
import { deleteType } from './type/delete.ts';
import { list as typeList } from './type/list.ts';
import { put as typePut } from './type/put.ts';
import { show as typeShow } from './type/show.ts';

/** Services of a zone, and the types that they are of. */
export const service: Noun = {
  name: 'service',
  does: 'Services that run on nodes beside client systems, and their types',
  verbs: [
    list,
    show,
    find,
    { name: 'type', does: 'Types of services: their programs, schemas and rules', verbs: [typeList, typeShow, typePut, deleteType] },
  ],
};
