import { onFeed } from '../lib/runtime/on-feed.ts';

/** What each commit concluded: out on the bus, and into the history. */
export default onFeed();
