import { join } from 'node:path';

interface CommandLine {
  host: string;
  rpcPort: number;
  wsPort?: number;
  hosts: string[];
  /** The chain's own folder inside of the data folder. */
  dataDir: string;
  programsDir?: string;
  forkUrl?: string;
  reset: boolean;
  help: boolean;
}

/** A mistake in the command line or the environment, told in one line. */
export class UsageError extends Error {}

export const USAGE = `Usage: npm run localnet -- [options]

A Solana chain on this machine: JSON-RPC over HTTP, WebSocket on the next port, funded wallets.

  --rpc-port <port>      HTTP port; 0 for any free one (SLIPWAY_RPC_PORT, 8899)
  --ws-port <port>       WebSocket port (the one after the HTTP port)
  --host <address>       address to listen on (127.0.0.1)
  --hosts <names>        further names of this machine by which it is reached, by commas (SLIPWAY_HOSTS)
  --data-dir <folder>    state, kept over restarts in its subfolder "chain" (SLIPWAY_DATA_DIR, .slipway)
  --programs-dir <folder>  programs to load: <programId>.so (SLIPWAY_PROGRAMS_DIR)
  --fork-url <url>       RPC of a cluster to fork lazily (SLIPWAY_FORK_URL)
  --reset                start over with an empty chain
  --help                 show this text`;

const VALUE_FLAGS = ['--rpc-port', '--ws-port', '--host', '--hosts', '--data-dir', '--programs-dir', '--fork-url'];
const SWITCHES = ['--reset', '--help'];

/** Reads flags, and what they leave out from the environment. Throws UsageError. */
export function parseCommandLine(args: string[], env: Record<string, string | undefined>): CommandLine {
  const { values, switches } = splitFlags(args);
  const setting = (flag: string, variable?: string) => values.get(flag) ?? ((variable && env[variable]) || undefined);
  const port = (flag: string, variable?: string) => {
    const text = setting(flag, variable);
    return text === undefined ? undefined : readPort(text, values.has(flag) || !variable ? flag : variable);
  };
  const wsPort = port('--ws-port');
  const programsDir = setting('--programs-dir', 'SLIPWAY_PROGRAMS_DIR');
  const forkUrl = setting('--fork-url', 'SLIPWAY_FORK_URL');
  return {
    host: setting('--host') ?? '127.0.0.1',
    rpcPort: port('--rpc-port', 'SLIPWAY_RPC_PORT') ?? 8899,
    ...(wsPort === undefined ? {} : { wsPort }),
    hosts: (setting('--hosts', 'SLIPWAY_HOSTS') ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    dataDir: join(setting('--data-dir', 'SLIPWAY_DATA_DIR') ?? '.slipway', 'chain'),
    ...(programsDir === undefined ? {} : { programsDir }),
    ...(forkUrl === undefined ? {} : { forkUrl }),
    reset: switches.has('--reset'),
    help: switches.has('--help'),
  };
}

function splitFlags(args: string[]): { values: Map<string, string>; switches: Set<string> } {
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    const equals = argument.indexOf('=');
    const flag = equals < 0 ? argument : argument.slice(0, equals);
    if (SWITCHES.includes(flag)) {
      if (equals >= 0) throw new UsageError(`${flag} takes no value`);
      switches.add(flag);
    } else if (VALUE_FLAGS.includes(flag)) {
      const value = equals >= 0 ? argument.slice(equals + 1) : args[++index];
      if (!value || (equals < 0 && value.startsWith('--'))) throw new UsageError(`${flag} needs a value`);
      values.set(flag, value);
    } else {
      throw new UsageError(`unknown option ${flag}: did you mean ${nearest(flag)}? (--help lists them)`);
    }
  }
  return { values, switches };
}

function readPort(text: string, name: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new UsageError(`${name}: expected a port from 0 to 65535, got ${JSON.stringify(text)}`);
}

function nearest(flag: string): string {
  const known = [...VALUE_FLAGS, ...SWITCHES];
  const completed = known.find((name) => flag.length > 2 && name.startsWith(flag));
  if (completed) return completed;
  return known.reduce((best, name) => (editDistance(flag, name) < editDistance(flag, best) ? name : best));
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
