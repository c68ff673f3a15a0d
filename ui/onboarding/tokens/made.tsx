import { Copied } from '../../kit/copied.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';
import { client } from '../../live/queries.ts';

/** A token that was made just now: its secret, and the command that uses it. */
export type Made = { readonly title: string; readonly secret: string; readonly command: string };

/** What a form of a new token is given: what takes the token once it is made, and what closes the form. */
export type MakeProps = { readonly onMade: (made: Made) => void; readonly onClose: () => void };

/** Shows a token that was made just now; nothing else has to be said of it. */
export const shown =
  (onMade: MakeProps['onMade']) =>
  (made: Made): undefined => {
    void client.invalidateQueries({ queryKey: ['tokens'] });
    onMade(made);
  };

/** The secret of a token, once, and the command that uses it. */
export const MadeToken = ({ of: { title, secret, command }, onClose }: { readonly of: Made; readonly onClose: () => void }) => (
  <ShownOnce title={title} secret={secret} onClose={onClose}>
    <Copied label="The command that uses it" text={command} />
  </ShownOnce>
);
