import { go } from '../router.tsx';

/** How many frames the view of client systems has to appear in. */
const framesMax = 180;

/** Puts the cursor into the query line of client systems, from wherever the page is. */
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
  const line = document.querySelector<HTMLInputElement>('#query');
  line?.focus();
  line?.select();
  return line !== null;
}
