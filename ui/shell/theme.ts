/** Light, dark, or as the system has it. */
export type Theme = 'light' | 'dark' | 'system';

const key = 'muster-theme';

/** What was chosen in this browser. */
export function theme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in what was chosen, and keeps a new choice in this browser. */
export function applyTheme(chosen: Theme = theme()): void {
  localStorage.setItem(key, chosen);
  document.documentElement.style.colorScheme = chosen === 'system' ? 'light dark' : chosen;
}
