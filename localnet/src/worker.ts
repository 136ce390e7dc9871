import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { loadLocal } from './load.js';
import type { Local, LocalOptions } from './local.js';
import { RpcError } from './rpc/errors.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** The worker thread: the whole chain and its servers. */
async function work(port: MessagePort, options: LocalOptions): Promise<void> {
  const send = (message: FromWorker) => port.postMessage(message);
  let local: Local;
  try {
    local = await loadLocal(options, (line) => send({ type: 'log', line }));
  } catch (error) {
    send({ type: 'refused', message: error instanceof Error ? error.message : String(error) });
    return;
  }
  port.on('message', (message: ToWorker) => {
    if (message.type === 'close') void local.close().then(() => send({ type: 'closed' }));
    else void serveCall(local, message).then(send);
  });
  send({ type: 'listening', rpcUrl: local.rpcUrl, wsUrl: local.wsUrl });
}

async function serveCall(
  local: Local,
  { id, method, params }: Extract<ToWorker, { type: 'call' }>,
): Promise<FromWorker> {
  try {
    return { type: 'result', id, result: await local.call(method, params) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { type: 'error', id, code: error.code, message: error.message, data: error.data };
  }
}

if (parentPort) await work(parentPort, workerData);
