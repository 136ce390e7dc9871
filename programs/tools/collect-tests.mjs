// Hooks of the module loader, see collected-tests.mjs.
export function resolve(specifier, context, next) {
  if (specifier !== 'node:test' || !context.parentURL?.endsWith('.test.js')) return next(specifier, context);
  return { url: new URL('collected-tests.mjs', import.meta.url).href, shortCircuit: true };
}
