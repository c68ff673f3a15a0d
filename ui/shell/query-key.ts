import { go } from '../router.tsx';

/** How many frames the view of client systems has to appear in. */
const framesMax = 180;

/** Puts the cursor into the filter of the view; from a view without one, into the query line of client systems. */
export function focusQuery(): void {
  if (focused()) return;
  go('/systems');
  let frames = 0;
  const look = (): void => {
    if (!focused() && ++frames < framesMax) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function focused(): boolean {
  const line = document.querySelector<HTMLInputElement>('#query, #main search input');
  line?.focus();
  line?.select();
  return line !== null;
}
