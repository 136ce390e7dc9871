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
const launch = createRoute({
  getParentRoute: () => root,
  path: '/launch',
  component: lazyRouteComponent(() => import('./launch/launch.js'), 'Launch'),
});
const token = createRoute({
  getParentRoute: () => root,
  path: '/launch/$mint',
  component: lazyRouteComponent(() => import('./launch/token.js'), 'Token'),
});
const send = createRoute({
  getParentRoute: () => root,
  path: '/send',
  component: lazyRouteComponent(() => import('./send/send.js'), 'Send'),
});
const loadChain = lazyRouteComponent(() => import('./chain/chain.js'), 'Chain');
const chain = createRoute({ getParentRoute: () => root, path: '/chain', component: loadChain });
const found = createRoute({ getParentRoute: () => root, path: '/chain/$of', component: loadChain });

export const router = createRouter({
  routeTree: root.addChildren([home, swap, orders, launch, token, send, chain, found]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
