import { type Browser, firefox } from 'playwright-core';

/** Sends a command of WebDriver BiDi. */
type Send = (command: string, params?: unknown) => Promise<unknown>;
/** What is behind a browser of Playwright that is driven by BiDi. The exact version is pinned in package.json. */
type Behind = { readonly _connection: { readonly toImpl: (browser: Browser) => { readonly _browserSession: { send: Send } } } };

/**
 * Commands that Playwright sends for every new context, and that the Firefox of Debian (153) does not know yet. It
 * refuses them as unknown, and the context would not come to be. What they ask for is what that Firefox does anyway.
 */
const unknown: readonly string[] = ['emulation.setMediaFeaturesOverride'];

/**
 * Starts a Firefox as people have it. Playwright drives it by WebDriver BiDi: its other protocol for Firefox needs one
 * that was built for it.
 */
export async function launchFirefox(executablePath: string): Promise<Browser> {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath });
  const session = (browser as unknown as Behind)._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = async (command, params) => (unknown.includes(command) ? {} : send(command, params));
  return browser;
}
