// What `slipway signer` runs, as the bundle has it: few packages, nothing that asks a database or starts a program, and nothing
// that speaks HTTP but what is loaded where the settings name AWS KMS. Everything else in that process could reach the keys.
// Called for each bundle.

/** Of other people. A token's library and its binding are loaded only where the settings name a token. */
const PACKAGES = ['lru-cache'];
const BUILTINS = [
  'node:crypto',
  'node:diagnostics_channel',
  'node:events',
  'node:fs',
  'node:fs/promises',
  'node:module',
  'node:net',
  'node:path',
  'node:timers/promises',
  'node:tls',
  'node:util',
  'node:worker_threads',
];

/** Of what is loaded only where the settings name it. */
const LATER_BUILTINS = [...BUILTINS, 'node:http', 'node:https', 'node:stream', 'node:zlib'];

/** @throws Error naming what should not be there */
export function checkSignerParts({ outputs }) {
  const atOnce = loadedAtOnce(outputs);
  const found = Object.entries(outputs).flatMap(([path, output]) =>
    partsOf(output).filter((name) => ![...PACKAGES, ...(atOnce.has(path) ? BUILTINS : LATER_BUILTINS)].includes(name)),
  );
  if (found.length === 0) return;
  throw new Error(
    `the process of the signer would load ${[...new Set(found)].join(', ')}: leave it out, or say in scripts/signer-parts.mjs that it is needed`,
  );
}

/** The files of the bundle that the signer's entry imports when it starts. */
function loadedAtOnce(outputs) {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('signer/main.js'));
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: imported, kind, external } of outputs[path].imports ?? [])
      if (!external && kind !== 'dynamic-import') found.add(imported);
  }
  return found;
}

/** The packages and the modules of Node that a file of the bundle has. */
function partsOf({ inputs, imports }) {
  const packages = Object.entries(inputs ?? {}).flatMap(([path, { bytesInOutput }]) => {
    const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    return owner !== undefined && bytesInOutput > 0 ? [owner] : [];
  });
  return [...packages, ...(imports ?? []).flatMap(({ path, external }) => (external ? [path] : []))];
}
