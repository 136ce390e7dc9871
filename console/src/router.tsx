import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Shell } from './shell.js';
import { NotFound } from './ui/not-found.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home.js'), 'Home'),
});
const swap = createRoute({
  getParentRoute: () => root,
  path: '/swap',
  component: lazyRouteComponent(() => import('./swap/swap.js'), 'Swap'),
});
const orders = createRoute({
  getParentRoute: () => root,
  path: '/orders',
  component: lazyRouteComponent(() => import('./orders/orders.js'), 'Orders'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, swap, orders]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
