import { Copied } from '../../kit/copied.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';

type Props = { readonly title: string; readonly secret: string; readonly command: string; readonly onClose: () => void };

/** A secret that was made just now, and the command that uses it. */
export const Secret = ({ title, secret, command, onClose }: Props) => (
  <ShownOnce title={title} secret={secret} onClose={onClose}>
    <Copied label="The command that uses it" text={command} />
  </ShownOnce>
);
