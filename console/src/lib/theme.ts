import { useSyncExternalStore } from 'react';

const PLACE = 'slipway.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export type Theme = 'light' | 'dark';
const current = (): Theme => (localStorage.getItem(PLACE) as Theme | null) ?? (dark.matches ? 'dark' : 'light');

/** Shows the page in the theme that was chosen here, or else in the system's. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = current();
  for (const listener of listeners) listener();
}
dark.addEventListener('change', applyTheme);

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(PLACE, theme);
  applyTheme();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}
