import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../../lib/core/check.ts';
import type { Fqdn, InstanceId, NodeId, ServiceTypeName } from '../../../lib/core/ids.ts';
import { judge } from '../../../lib/ports/checks/json-schema.ts';
import { answerableOf, mayStop, type Peer, peersOf } from '../../../lib/services/questions.ts';
import { ServiceType } from '../../../lib/services/rows/service-type.ts';
import { instanceOf, Service } from '../../../lib/services/service.ts';
import { faultsOfType } from '../../../lib/services/types.ts';
import { typeOfPut, typeView } from '../../../lib/services/view.ts';
import { aType, judged, schemas } from './some.ts';

const host = 'node1.acme.org' as Fqdn;
const node = (n: number) => `n${n.toString(16).padStart(16, '0')}` as NodeId;
const numbered = JSON.stringify({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } });
const type = ServiceType.parse({
  ...aType('web'),
  questions: [
    { name: 'may-stop', data: '{}', rule: { is: 'may-stop', leave: 2 } },
    { name: 'who-has', data: '{}', rule: { is: 'holder' } },
    { name: 'others', data: numbered, rule: { is: 'peers' } },
  ],
});
const service = Service.parse({
  type: 'web',
  name: 'web',
  node: node(1),
  host,
  zone: 'default',
  registered: 36,
  start: 2,
  configuration: '{}',
  state: { is: 'online' },
  since: 40,
  resources: [],
  asks: [],
  results: [],
  limits: { startMs: 1, stopMs: 1, askMs: 1 },
});
const asks = (question: string, data?: unknown, instance = instanceOf(service)) =>
  judged((verdict) =>
    answerableOf(
      { service, type, host, verdict },
      { instance, question: question as ServiceTypeName, data: data === undefined ? undefined : JSON.stringify(data) },
    ),
  );

describe('a question of a service', () => {
  it('is answered by the rule that its type declares', () => {
    expect(asks('may-stop')).toEqual({ does: 'answer', service, what: { is: 'may-stop', leave: 2 } });
    expect(asks('others', { n: 1 })).toMatchObject({ what: { is: 'peers' } });
    const resource = { kind: 'database', id: 'customers' };
    expect(asks('who-has', { ...resource, why: 'to move it' })).toMatchObject({ what: { is: 'holder', resource } });
  });

  it('is refused to what does not run, to an older instance, and where the type declares no such question', () => {
    const asked = { instance: instanceOf(service), question: 'may-stop' as ServiceTypeName, data: undefined };
    expect(answerableOf({ service: undefined, type, host }, asked)).toMatchObject({ problem: 'service-not-running' });
    expect(asks('may-stop', undefined, '10.1' as InstanceId)).toMatchObject({
      problem: 'service-not-running',
      because: 'instance 10.1 is not the one that runs: 10.2 of web is',
    });
    expect(asks('may-i')).toMatchObject({
      problem: 'unknown-message',
      because: 'web has no question may-i: it may ask may-stop, who-has, others',
    });
    expect(answerableOf({ service, type: aType('web'), host }, asked)).toMatchObject({
      because: 'web has no question may-stop: it may ask none',
    });
  });

  it('is refused with what is wrong with its data, by the schema and by the rule', () => {
    expect(asks('others', { n: 'one' })).toMatchObject({ problem: 'invalid', errors: [{ pointer: '/n', detail: expect.any(String) }] });
    expect(asks('others')).toMatchObject({ problem: 'invalid', errors: [{ pointer: '' }] });
    expect(asks('who-has', { kind: 'data:base' })).toMatchObject({
      problem: 'invalid',
      errors: [{ pointer: '/kind' }, { pointer: '/id' }],
    });
  });
});

describe('the rules', () => {
  const peer = fc.record({
    node: fc.nat({ max: 4 }).map(node),
    type: fc.constantFrom('web', 'proxy').map((name) => name as ServiceTypeName),
    state: fc.constantFrom<Peer['state']>('online', 'starting', 'stopping', 'failed', 'inhibited'),
  });

  it('count only others that are online: yes exactly when so many stay, whoever asks and wherever it stands in the list', () => {
    fc.assert(
      fc.property(fc.array(peer, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (named, leave) => {
        const peers = peersOf(service, named);
        expect(peers.some((one) => one.node === service.node && one.type === service.type)).toBe(false);
        const { yes } = mayStop(leave, peers);
        expect(yes).toBe(peers.filter(({ state }) => state === 'online').length >= leave);
        // Whoever asks makes no difference by being online itself.
        expect(mayStop(leave, peersOf(service, [...named, { node: service.node, type: service.type, state: 'online' }])).yes).toBe(yes);
      }),
    );
  });
});

describe('a type with questions', () => {
  it('is told a faulty schema and a name that is there twice', async () => {
    const check = async (asked: Check) => judge(asked);
    const [first] = type.questions!;
    const faulty = { ...type, questions: [first!, { ...first!, data: '{"type":"nothing"}' }] };
    expect((await faultsOfType(faulty, schemas[0]!, check)).map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/questions/1/data/type', '/questions/1/name']),
    );
    expect(await faultsOfType({ ...type }, schemas[0]!, check)).toEqual([]);
  });

  it('is shown as it was put, and one without any is stored as it was before there were questions', () => {
    const given = { start: ['run'], messages: [], schema: 'web' as ServiceTypeName };
    const questions = [{ name: 'others' as ServiceTypeName, data: { type: 'null' }, rule: { is: 'peers' as const } }];
    const { type: put } = typeOfPut('web' as ServiceTypeName, { ...given, questions });
    expect(ServiceType.parse(put).questions).toEqual([{ name: 'others', data: '{"type":"null"}', rule: { is: 'peers' } }]);
    expect(typeView({ type: put, schema: schemas[0]!, origin: 'put' }, []).questions).toEqual(questions);
    for (const none of [given, { ...given, questions: [] }])
      expect(Object.keys(typeOfPut('web' as ServiceTypeName, none).type)).not.toContain('questions');
  });
});
