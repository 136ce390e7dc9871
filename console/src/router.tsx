import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { SandboxScreens } from './sandbox-screens.js';
import { Shell } from './shell.js';
import { Broken } from './ui/broken.js';
import { NotFound } from './ui/not-found.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const sandbox = createRoute({ getParentRoute: () => root, id: 'sandbox', component: SandboxScreens });
const operator = createRoute({
  getParentRoute: () => root,
  id: 'operator',
  component: lazyRouteComponent(() => import('./operator/gate.js'), 'OperatorScreens'),
});

const home = createRoute({
  getParentRoute: () => sandbox,
  path: '/',
  staticData: { title: 'Home' },
  component: lazyRouteComponent(() => import('./home/home.js'), 'Home'),
});
const swap = createRoute({
  getParentRoute: () => sandbox,
  path: '/swap',
  staticData: { title: 'Swap' },
  component: lazyRouteComponent(() => import('./swap/swap.js'), 'Swap'),
});
const orders = createRoute({
  getParentRoute: () => sandbox,
  path: '/orders',
  staticData: { title: 'Orders' },
  component: lazyRouteComponent(() => import('./orders/orders.js'), 'Orders'),
});
const limitOrders = createRoute({
  getParentRoute: () => sandbox,
  path: '/orders/limit',
  staticData: { title: 'Limit orders' },
  component: lazyRouteComponent(() => import('./orders/limit-orders.js'), 'LimitOrders'),
});
const launch = createRoute({
  getParentRoute: () => sandbox,
  path: '/launch',
  staticData: { title: 'Launch' },
  component: lazyRouteComponent(() => import('./launch/launch.js'), 'Launch'),
});
const token = createRoute({
  getParentRoute: () => sandbox,
  path: '/launch/$mint',
  staticData: { title: 'Token' },
  component: lazyRouteComponent(() => import('./launch/token.js'), 'Token'),
});
const send = createRoute({
  getParentRoute: () => sandbox,
  path: '/send',
  staticData: { title: 'Send' },
  component: lazyRouteComponent(() => import('./send/send.js'), 'Send'),
});
const loadChain = lazyRouteComponent(() => import('./chain/chain.js'), 'Chain');
const chain = createRoute({
  getParentRoute: () => sandbox,
  path: '/chain',
  staticData: { title: 'Chain' },
  component: loadChain,
});
const found = createRoute({
  getParentRoute: () => sandbox,
  path: '/chain/$of',
  staticData: { title: 'Chain' },
  component: loadChain,
});

const overview = createRoute({
  getParentRoute: () => operator,
  path: '/overview',
  staticData: { title: 'Overview' },
  component: lazyRouteComponent(() => import('./operator/overview.js'), 'Overview'),
});
const loadOperate = lazyRouteComponent(() => import('./operator/operate.js'), 'Operate');
const operate = createRoute({
  getParentRoute: () => operator,
  path: '/operate',
  staticData: { title: 'Operate' },
  component: loadOperate,
});
const part = createRoute({
  getParentRoute: () => operator,
  path: '/operate/$part',
  staticData: { title: 'Operate' },
  component: loadOperate,
});
const one = createRoute({
  getParentRoute: () => operator,
  path: '/operate/$part/$id',
  staticData: { title: 'Operate' },
  component: loadOperate,
});

export const router = createRouter({
  routeTree: root.addChildren([
    sandbox.addChildren([home, swap, orders, limitOrders, launch, token, send, chain, found]),
    operator.addChildren([overview, operate, part, one]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
