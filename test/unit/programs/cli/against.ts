import { ran } from './a-terminal.ts';
import { type Answers, FakeDeployment } from './fake-deployment.ts';

/** Runs a line against a deployment that answers so: what it came to, and which routes it called. */
export async function against(answers: Answers, line: string, given: Parameters<typeof ran>[1] = {}) {
  const fake = await FakeDeployment.start(answers);
  const result = await ran(line, { env: { MUSTER_ENDPOINT: fake.url }, ...given });
  await fake.stop();
  return { ...result, routes: fake.received.map(({ route }) => route) };
}
