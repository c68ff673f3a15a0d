import { call } from '../api/call.ts';
import { client } from '../live/queries.ts';

/** What became of an order on one host. */
export type Outcome = { readonly host: string; readonly said?: string; readonly error?: unknown };

/** A service that is to be started. `configuration`: as JSON, where it is another than the usual one of its type. */
type Start = {
  readonly zone: string;
  readonly type: string;
  readonly hosts: readonly string[];
  readonly configuration: string | undefined;
};

/** Starts a service on some hosts, each by an order of its own; gives what became of each. */
export async function started({ zone, type, hosts, configuration }: Start): Promise<readonly Outcome[]> {
  const given = configuration === undefined ? {} : { configuration: JSON.parse(configuration) as Record<string, unknown> };
  const outcomes = await Promise.all(
    hosts.map(async (node): Promise<Outcome> => {
      try {
        const { answer, because } = await call('startService', { params: { zone, type }, body: { node, ...given } });
        return { host: node, said: `${answer}: ${because}` };
      } catch (error) {
        return { host: node, error };
      }
    }),
  );
  void client.invalidateQueries({ queryKey: ['services'] });
  return outcomes;
}
