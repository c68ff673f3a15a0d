import { contract } from '../../../lib/contract.ts';
import { expected, step } from '../../../tools/check-deploy/progress.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { launch, missingText, open, programOf, type Watched } from '../../browser/browser.ts';
import type { Scene } from './story.ts';

/** What a person sees, in a real Chromium; without one it is left out, and says so. */
export async function inChromium(scene: Scene): Promise<void> {
  if (programOf('chromium') === undefined) {
    console.log(`       -  skip  in a browser: ${missingText('chromium')}`);
    return;
  }
  const browser = await launch('chromium');
  try {
    const watched = await open(browser, { ignoreHTTPSErrors: true });
    await step('a person sees the bar and the tab in a browser', () => barAndTab(scene, watched));
    await step('a person signs in at the Cluster UI on this server, whose session the server never gets', () => signsIn(scene, watched));
    await step('a locked page says so in a browser', () => locked(scene, watched));
    expected('no error in the browser', watched.wrong.length === 0, watched.wrong);
  } finally {
    await browser.close();
  }
}

async function barAndTab({ apache }: Scene, { page }: Watched): Promise<void> {
  await page.goto(`${apache.url}/rhn/YourRhn.do`);
  const bar = await page.getByRole('note').innerText();
  expected('a bar', /uyuni1\.acme\.test.*zone default.*Cluster UI.*locked/s.test(bar), bar);
  await page.getByRole('link', { name: 'Cluster', exact: true }).click();
  await page.getByText('Sign in to Muster').waitFor();
}

async function signsIn({ apache, muster }: Scene, { page, context }: Watched): Promise<void> {
  const answer = await apiAt(muster.url)(contract.createSignInLink, { body: {} });
  expected('a sign-in link', answer.ok, answer);
  await page.getByLabel('Sign-in link').fill(answer.body.link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'What happens' }).waitFor();
  await page.locator('.hearing.is-live').waitFor();
  expected('a view below /muster/ui/', page.url().startsWith(`${apache.url}/muster/ui/`), page.url());
  const sent = (await context.cookies(`${apache.url}/rhn/YourRhn.do`)).map(({ name }) => name);
  expected('no cookie of Muster for the server', !sent.some((name) => name.includes('muster')), sent);
}

async function locked({ apache }: Scene, { page }: Watched): Promise<void> {
  await page.goto(`${apache.url}/rhn/channels/manage/Delete.do`);
  expected('who edits', (await page.innerText('main')).includes('edited in one place at a time'), await page.innerText('body'));
}
