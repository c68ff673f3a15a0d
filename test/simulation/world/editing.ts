import { Unreachable } from '../../../lib/api/client.ts';
import type { Route } from '../../../lib/api/route.ts';
import { contract } from '../../../lib/contract.ts';
import { Failure } from '../../../programs/cli/exit-codes.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Person } from './people.ts';

/** The people whose calls gateways carry. */
const logins = ['ada', 'ben', 'cleo'];

/**
 * People who edit common content by themselves and through gateways, and operators who end that, in a world whose hosts
 * are Uyuni servers that somebody edits.
 */
export function editSome(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.edits) return;
  for (const name of ['editor', 'gateway']) work(new Person(name, around, cluster, isOver), cluster);
}

function work(person: Person, { zones }: Cluster): void {
  const { random } = person;
  // An answer that is given again says how long a grant lasts, as it was: calls of gateways have no Idempotency-Key.
  const once = async (route: Route, body: object): Promise<void> => {
    const zone = zones.some(random).zone ?? 'default';
    try {
      await person.tell(route, { params: { zone }, body });
    } catch (error) {
      if (!(error instanceof Failure) && !(error instanceof Unreachable)) throw error;
    }
  };
  const who = () => (random() < 0.7 ? { login: oneOf(random, logins)! } : {});
  const edit = () => once(contract.editContent, { ...who(), changes: random() < 0.5 });
  const finish = () => once(contract.finishEditing, who());
  const end = () =>
    once(contract.endEditing, { because: 'the night shift begins', ...(random() < 0.5 && { who: oneOf(random, logins)! }) });
  const synced = async () => {
    const node = await person.someNode();
    if (node) await once(contract.markSynced, { node });
  };
  person.work([edit, edit, edit, edit, finish, finish, end, synced]);
}
