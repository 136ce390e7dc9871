import { createServer } from 'node:net';

/** Below those that systems give to connections: what is free there is so again when a sandbox starts at it once more. */
const PORTS = { first: 20_000, count: 12_000 };
/** Of the API, of the chain's RPC, and of its WebSocket, which is the one after. */
const NEEDED = 3;
const MOST_TRIES = 100;

/** Settings with ports of this machine that nobody has at the moment. */
export async function freePorts(): Promise<{ SLIPWAY_PORT: string; SLIPWAY_RPC_PORT: string }> {
  for (let tries = 1; ; tries++) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.count - NEEDED));
    const free = await Promise.all(Array.from({ length: NEEDED }, (_, index) => isFree(port + index)));
    if (!free.includes(false)) return { SLIPWAY_PORT: `${port}`, SLIPWAY_RPC_PORT: `${port + 1}` };
    // The service says then why it cannot listen.
    if (tries === MOST_TRIES) return { SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0' };
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
