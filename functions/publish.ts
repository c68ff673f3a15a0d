import { onFeed } from '../lib/runtime/on-feed.ts';

/** Sends the events of each commit to the bus, and writes them into the history. */
export default onFeed();
