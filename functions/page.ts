import { page } from '../lib/page/handlers.ts';

/** Browsers: the files of the page under /ui, and the ways to it. */
export default page;
