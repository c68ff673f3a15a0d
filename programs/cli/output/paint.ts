import { styleText } from 'node:util';

/** The meaning of a colour; no information is in the colour alone. */
export type Paint = 'good' | 'waiting' | 'bad' | 'quiet';

const formats = { good: 'green', waiting: 'yellow', bad: 'red', quiet: 'dim' } as const;

/** The text in the colour of what it means, or as it is where there are no colours. */
export const painted = (text: string, paint: Paint | undefined, colours: boolean): string =>
  colours && paint ? styleText(formats[paint], text, { validateStream: false }) : text;

const paints: Readonly<Record<string, Paint>> = {
  up: 'good',
  onboarded: 'good',
  done: 'good',
  joining: 'waiting',
  waiting: 'waiting',
  admitted: 'good',
  rejected: 'bad',
  valid: 'good',
  expired: 'quiet',
  used: 'quiet',
  revoked: 'bad',
  absent: 'waiting',
  suspect: 'waiting',
  leaving: 'waiting',
  new: 'waiting',
  orphan: 'waiting',
  redriven: 'waiting',
  down: 'bad',
  dropped: 'bad',
  removed: 'bad',
  quarantined: 'bad',
  dead: 'bad',
  deleted: 'bad',
  refused: 'bad',
};

/** How a status of a node, client system or dead letter, or a node's standing, is painted. */
export const paintOf = (status: string): Paint | undefined => paints[status];
