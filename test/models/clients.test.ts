import { describe, it } from 'vitest';
import { decide } from '../../lib/clients/decide.ts';
import { planRevocations } from '../../lib/clients/plan.ts';
import { clientCommands } from './clients/commands.ts';
import { type Remembered, remembersNothing } from './clients/model.ts';
import { ClientReal } from './clients/real.ts';
import { always, findsFault, type Model } from './model.ts';

const aModelOf = (wrong?: ConstructorParameters<typeof ClientReal>[0]): Model<Remembered, ClientReal> => ({
  commands: clientCommands,
  begin: () => ({ model: remembersNothing(), real: new ClientReal(wrong) }),
});

describe('a client system', () => {
  it('keeps its laws whatever is asked of it, in whatever order', () => always(aModelOf(), { numRuns: 200 }), 600_000);
});

describe('the model of a client system finds out', () => {
  it('a decide that forgives a ban', () =>
    findsFault(
      aModelOf({
        decide: (client, command, now) =>
          decide(client?.standing === 'banned' && command.type === 'knock' ? undefined : client, command, now),
      }),
      'it stands as the last word of an admin says',
    ));

  it('a decide that takes a confirmation for another place', () =>
    findsFault(
      aModelOf({
        decide: (client, command, now) => {
          const told = client?.standing === 'accepted' ? client.told : undefined;
          return decide(client, command.type === 'confirm' && told ? { ...command, generation: told.generation } : command, now);
        },
      }),
      'it was told what its own last call was told',
    ));

  it('an unregistering that leaves the tokens alone', () =>
    findsFault(
      aModelOf({
        plan: (snapshot, command, now) => {
          const { changes, because } = planRevocations(snapshot, command, now);
          return { because, changes: changes.filter(({ ref }) => command.type === 'ban' || ref.noun !== 'revoked') };
        },
      }),
      'a token holds until its client is unregistered or banned',
    ));
});
