/** What the two threads say to each other. */
export type ToWorker = { type: 'call'; id: number; method: string; params: unknown } | { type: 'close' };

export type FromWorker =
  | { type: 'listening'; rpcUrl: string; wsUrl: string }
  | { type: 'refused'; message: string }
  | { type: 'result'; id: number; result: unknown }
  | { type: 'error'; id: number; code: number; message: string; data: unknown }
  | { type: 'log'; line: string }
  | { type: 'closed' };
