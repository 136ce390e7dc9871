import type { FastifyInstance } from 'fastify';
import { nearest } from '../lib/nearest.js';

/** Longer paths are not compared with ours: nobody mistypes that much. */
const LONGEST_COMPARED = 80;

/** Paths of the hosted service that clients ask for and that are not served here, and what is there instead. */
const NOT_SERVED: readonly [path: RegExp, instead: string][] = [
  [/^\/price\//, 'Slipway serves no prices; GET /tokens/v2/search has the usdPrice of a token'],
  [/^\/swap\/v\d/, 'Slipway serves swaps as GET /ultra/v1/order and POST /ultra/v1/execute'],
  [/^\/limit\/v\d/, 'Slipway serves limit orders under /trigger/v1'],
  [/^\/(?:recurring|dca)\//, 'Slipway does not serve recurring orders'],
  [/^\/tokens\/v2\/(?:tag|category|recent|content|[a-z]+\/\d+[mhd]$)/, 'Slipway lists tokens by GET /tokens/v2/search'],
  [/^\/tokens\/v1\//, 'Slipway lists tokens by GET /tokens/v2/search'],
  [/^\/(?:lend|portfolio|perps)\//, 'Slipway does not serve this'],
];

export interface KnownPaths {
  /** The methods that a path takes. */
  methodsOf(path: string): string[];
  /** What to try in place of a path that no route has: undefined if nothing is near. */
  hint(path: string): string | undefined;
}

/** Collects the routes of a server. Call it before the first route. */
export function collectPaths(app: FastifyInstance): KnownPaths {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string>; hidden: boolean }>();
  app.addHook('onRoute', ({ method, url, schema }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set(), hidden: schema?.hide === true };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  return {
    methodsOf: (path) => {
      const found = [...routes.values()].filter(({ pattern }) => pattern.test(path));
      return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
    },
    hint: (path) => {
      const [, instead] = NOT_SERVED.find(([pattern]) => pattern.test(path)) ?? [];
      if (instead !== undefined || path.length > LONGEST_COMPARED) return instead;
      const shown = [...routes].filter(([, { hidden }]) => !hidden).map(([url]) => url);
      const guess = nearest(path, shown, Math.floor(path.length / 6));
      return guess === undefined ? undefined : `Did you mean ${guess}?`;
    },
  };
}

/** `/orders/:id` takes one part of a path for `:id`, as the router does, and anything for `*`. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
