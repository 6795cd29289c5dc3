// Dark or light.

/** The theme: the user's choice, else the system's. */
export function theme(turn = false): void {
  const root = document.documentElement;
  let now: string | null = null;
  try { now = localStorage.getItem('delassus-theme'); } catch { /* a page from a file may have no storage */ }
  now ??= root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  if (turn) {
    now = (root.dataset.theme ?? now) === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('delassus-theme', now); } catch { /* as above */ }
  }
  root.dataset.theme = now;
}
