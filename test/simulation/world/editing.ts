import { type Answered, Unreachable } from '../../../lib/api/client.ts';
import type { Route } from '../../../lib/api/route.ts';
import { contract } from '../../../lib/contract.ts';
import { Failure } from '../../../programs/cli/exit-codes.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** The people whose calls gateways carry. */
const logins = ['ada', 'ben', 'cleo'];

/**
 * People who edit common content by themselves and through gateways, and operators who end that, in a world whose hosts
 * are Uyuni servers that somebody edits.
 */
export function editSome(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean): void {
  if (!around.config.edits) return;
  for (const name of ['editor', 'gateway']) work(new Person(name, around, cluster, isOver), { cluster, hosts, around });
}

type Editing = { readonly cluster: Cluster; readonly hosts: readonly SimulatedHost[]; readonly around: Around };

function work(person: Person, { cluster: { zones }, hosts, around: { kernel } }: Editing): void {
  const { random } = person;
  // An answer that is given again says how long a grant lasts, as it was: calls of gateways have no Idempotency-Key.
  const once = async <T extends Route>(route: T, body: object): Promise<Extract<Answered<T>, { ok: true }>['body'] | undefined> => {
    const zone = zones.some(random).zone ?? 'default';
    try {
      return (await person.tell(route, { params: { zone }, body })).body;
    } catch (error) {
      if (!(error instanceof Failure) && !(error instanceof Unreachable)) throw error;
      return undefined;
    }
  };
  const who = () => (random() < 0.7 ? { login: oneOf(random, logins)! } : {});
  /** Edits at the seat for as long as that may be relied on, from the moment of the call on. */
  const edit = async () => {
    const [changes, askedAt] = [random() < 0.5, kernel.now];
    const granted = await once(contract.editContent, { ...who(), changes });
    const server = granted && hosts.find(({ fqdn }) => fqdn === granted.fqdn)?.content;
    if (!granted || !server || !changes) return;
    const laterMs = random() * 60_000;
    kernel.after(laterMs, `somebody edits on ${granted.fqdn}`, () => {
      if (kernel.now < askedAt + granted.forMs) server.edit();
    });
  };
  const why = { because: 'what was edited is for all' };
  const apply = async () => {
    const from = random() < 0.3 ? await person.someNode() : undefined;
    await once(contract.applyContent, { ...why, removes: random() < 0.3, endsOthers: random() < 0.5, ...(from && { from }) });
  };
  const rollBack = () => once(contract.rollBackContent, { ...why, revision: 1 + Math.floor(random() * 4), removes: random() < 0.3 });
  const resume = () => once(contract.resumeContent, {});
  const finish = () => once(contract.finishEditing, who());
  const end = () =>
    once(contract.endEditing, { because: 'the night shift begins', ...(random() < 0.5 && { who: oneOf(random, logins)! }) });
  const synced = async () => {
    const node = await person.someNode();
    if (node) await once(contract.markSynced, { node });
  };
  person.work([edit, edit, edit, edit, edit, edit, finish, finish, end, synced, apply, apply, rollBack, resume]);
}
