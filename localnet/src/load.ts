import type { Local, LocalOptions } from './local.js';

const BUILT_FOR = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

/**
 * `openLocal`, loaded when it is needed: the virtual machine is a native library, which whoever uses an outside chain
 * does without. Rejects with one sentence where there is none for this machine.
 */
export async function loadLocal(options: LocalOptions, log: (line: string) => void): Promise<Local> {
  try {
    await import('litesvm/dist/internal.js');
  } catch (error) {
    throw new Error(explainMissing(error), { cause: error });
  }
  const { openLocal } = await import('./local.js');
  return openLocal(options, log);
}

function explainMissing(error: unknown): string {
  const here = `${process.platform}-${process.arch}`;
  if (!BUILT_FOR.includes(here)) {
    return `the embedded chain runs on macOS and Linux, on x64 and arm64, and not on ${here}: on Windows use WSL 2, or set SLIPWAY_RPC_URL to an outside chain`;
  }
  const reason = refusal(error);
  if (reason !== undefined) return `this system cannot load the virtual machine of the embedded chain: ${reason}`;
  return `the virtual machine of the embedded chain is not installed for ${here}: install again on this machine with its optional dependencies, "npm ci" in a clone`;
}

/** Why a library that is there could not be loaded, such as a libc that is too old; its loader nests what it tried. */
function refusal(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!/^(?:Cannot find|Unsupported) /.test(cause.message)) return cause.message.split('\n')[0];
  }
  return undefined;
}
