import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RpcCall {
  method: string;
  params: unknown[];
}

/** What the caller gets: an HTTP answer, one that breaks off in the middle, a cut connection, or nothing at all. */
export type Reply = { status?: number; body: string } | { half: string } | 'cut' | 'hang';

/** Decides about one call; `forward` passes it on to the chain and gives the chain's answer. */
export type Behavior = (call: RpcCall, forward: () => Promise<string>) => Promise<Reply>;

/** Passes every call on. */
export const faithful: Behavior = async (_call, forward) => ({ body: await forward() });

/** A JSON-RPC answer with this result. */
export function result(value: unknown): Reply {
  return { body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: value }) };
}

/** A JSON-RPC answer with this error. */
export function refusal(code: number, message: string): Reply {
  return { body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }) };
}

export interface UpstreamProxy {
  url: string;
  /** What is done with each call from now on; `faithful` at first. */
  behavior: Behavior;
  /** Resolves with the next call of the method. */
  next(method: string): Promise<RpcCall>;
  close(): Promise<void>;
}

/** A JSON-RPC endpoint in front of `target` that behaves as badly as it is told to. */
export async function startUpstreamProxy(target: string): Promise<UpstreamProxy> {
  const waiting: { method: string; resolve: (call: RpcCall) => void }[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const call = JSON.parse(sent) as RpcCall;
    const forward = async () => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(target, { method: 'POST', headers, body: sent })).text();
    };
    for (const each of waiting.filter(({ method }) => method === call.method)) {
      waiting.splice(waiting.indexOf(each), 1);
      each.resolve(call);
    }
    reply(response, await proxy.behavior(call, forward));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: UpstreamProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behavior: faithful,
    next: (method) => new Promise((resolve) => waiting.push({ method, resolve })),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return proxy;
}

function reply(response: ServerResponse, given: Reply): void {
  if (given === 'hang') return;
  if (given === 'cut') {
    response.destroy();
    return;
  }
  if ('half' in given) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': given.half.length });
    response.write(given.half.slice(0, given.half.length / 2), () => response.destroy());
    return;
  }
  response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(given.body);
}
