import type { FastifyInstance } from 'fastify';
import { nearest } from '../lib/nearest.js';
import { hostedOperations } from './hosted-routes.js';

/** Longer paths are not compared with ours: nobody mistypes that much. */
const LONGEST_COMPARED = 80;

/** Where `registerCoverage` tells what is served. */
export const COVERAGE = '/coverage.txt';

export interface KnownPaths {
  /** The methods that a path takes. */
  methodsOf(path: string): string[];
  /** Whether there is a route for this method and path, whose parameters are `{name}`. */
  serves(method: string, path: string): boolean;
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
    serves: (method, path) =>
      [...routes].some(([url, { methods }]) => methods.has(method) && nameless(url) === nameless(path)),
    hint: (path) => {
      const hosted = HOSTED.find(({ pattern }) => pattern.test(path));
      if (hosted) return `${hosted.instead}. ${COVERAGE} tells of every operation of the hosted API`;
      if (path.length > LONGEST_COMPARED) return undefined;
      const shown = [...routes].filter(([, { hidden }]) => !hidden).map(([url]) => url);
      const guess = nearest(path, shown, Math.floor(path.length / 6));
      return guess === undefined ? undefined : `Did you mean ${guess}?`;
    },
  };
}

const nameless = (path: string): string => path.replaceAll(/:\w+|\{\w+\}/g, '{}');

/** In the order of the list, but names before parameters. */
const HOSTED = hostedOperations
  .map(({ path, instead }) => ({ pattern: patternOf(path.replaceAll(/\{(\w+)\}/g, ':$1')), instead }))
  .sort((a, b) => a.pattern.source.split('[^/]').length - b.pattern.source.split('[^/]').length);

/** `/orders/:id` takes one part of a path for `:id`, as the router does, and anything for `*`. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
