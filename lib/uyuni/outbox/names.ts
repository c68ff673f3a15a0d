/** The schema that is ours in the database of a server. */
export const schema = 'muster';
/** The channel on which a listener is woken. */
export const channel = 'muster';
