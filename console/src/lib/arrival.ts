import { useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Of the screen, for the browser's list of tabs and for who hears the page. */
    title?: string;
  }
}

/** Names the page after its screen. Whoever came by a link that is gone now goes on from the screen by keyboard. */
export function useArrival(): void {
  const title = useMatches({ select: (matches) => matches.findLast(({ staticData }) => staticData.title) })?.staticData
    .title;
  useEffect(() => {
    document.title = title === undefined ? 'Slipway' : `${title} · Slipway`;
  }, [title]);
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation }) => {
        const isNowhere = document.activeElement === null || document.activeElement === document.body;
        if (fromLocation && isNowhere) document.getElementById('screen')?.focus({ preventScroll: true });
      }),
    [router],
  );
}
