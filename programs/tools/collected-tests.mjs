// Of mutate.mjs: stands for `node:test` where a test file is loaded into this process, so that its tests can be run one by
// one, and again and again. A file that needs more of `node:test` than this cannot be loaded, and runs by itself.
export const collected = [];

/** With or without options, as in node:test. */
function argumentsOf(name, options, body) {
  return typeof options === 'function' ? { name, body: options } : { name, body, ...options };
}

export function test(...given) {
  const { name, body, skip } = argumentsOf(...given);
  if (!skip && body) collected.push({ name, body });
}

export function describe(...given) {
  const { body, skip } = argumentsOf(...given);
  if (!skip) body();
}

export const it = test;
