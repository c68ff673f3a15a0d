import { recorder } from '../lib/journal/changes.ts';
import { onFeed } from '../lib/runtime/on-feed.ts';

/** Sends the events of each commit to the bus, and then writes them into the history and the journal. */
export default onFeed(recorder);
