// What `slipway signer` runs, as the bundle has it: few packages, nothing that speaks HTTP, asks a database or starts a
// program. Everything else in that process could reach the keys. Called for each bundle.

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

/** @throws Error naming what should not be there */
export function checkSignerParts({ outputs }) {
  const { packages, builtins } = partsOf(outputs);
  const found = [
    ...[...packages].filter((name) => !PACKAGES.includes(name)),
    ...[...builtins].filter((name) => !BUILTINS.includes(name)),
  ];
  if (found.length === 0) return;
  throw new Error(
    `the process of the signer would load ${found.join(', ')}: leave it out, or say in scripts/signer-parts.mjs that it is needed`,
  );
}

function partsOf(outputs) {
  const [packages, builtins] = [new Set(), new Set()];
  for (const { inputs, imports } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs ?? {})) {
      const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
      if (owner !== undefined && bytesInOutput > 0) packages.add(owner);
    }
    for (const { path, external } of imports ?? []) if (external) builtins.add(path);
  }
  return { packages, builtins };
}
