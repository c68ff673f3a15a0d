/** One measurement. */
export type Figure = {
  readonly what: string;
  /** The median, where it was measured several times. */
  readonly measured: number;
  readonly unit: string;
  readonly target?: Bound;
  /** The spread of the repetitions, or the basis of the number. */
  readonly note?: string;
};

/** The target of a figure. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** Whether a figure keeps within its target; one without a target always does. */
export const isMet = ({ measured, target }: Figure): boolean =>
  !target || ('atMost' in target ? measured <= target.atMost : measured >= target.atLeast);

/** Figures in columns: what, measured, target, note. */
export function columns(figures: readonly Figure[]): string[][] {
  return figures.map((figure) => [
    figure.what,
    `${plain(figure.measured)} ${figure.unit}`,
    figure.target ? `${bound(figure.target)}${isMet(figure) ? '' : ' MISSED'}` : '',
    figure.note ?? '',
  ]);
}

/** A number with a useful number of digits. */
export function plain(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

const bound = (target: Bound): string => ('atMost' in target ? `≤ ${plain(target.atMost)}` : `≥ ${plain(target.atLeast)}`);
