/** The facts that are sizes in bytes, by the names under which daemons and Salt report them. */
const sizes: readonly string[] = ['ram', 'memory'];
const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A fact as a person reads it: a size in its largest unit, anything else as it was reported. */
export function factText(name: string, value: string): string {
  if (!sizes.includes(name) || !/^\d+$/.test(value)) return value;
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, Number(value))) / 10));
  return `${Number((Number(value) / 1_024 ** power).toFixed(1))} ${units[power]}`;
}
