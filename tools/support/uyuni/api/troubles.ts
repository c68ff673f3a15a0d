/** What goes wrong with the interface of a played server, from now on and until it is set otherwise. */
export type Troubles = {
  /** How long each call waits before it is answered, in ms. */
  delayMs: number;
  /** Takes calls and answers none. */
  hangs: boolean;
  /** Refuses every login, as if the password had been changed. */
  refusesLogin: boolean;
  /** Answers as the web server does while the application behind it is away. */
  isAway: boolean;
};

/** Nothing goes wrong. */
export const noTroubles = (): Troubles => ({ delayMs: 0, hangs: false, refusesLogin: false, isAway: false });
