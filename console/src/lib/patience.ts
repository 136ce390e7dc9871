/** What is only read and has no answer by then is lost, and asked again. */
const READ_MS = 15_000;
const STREAM = '/events/v1/stream';

/** `fetch`, which does not wait forever. What changes something may take as long as a transaction takes to land. */
export const patientFetch: typeof fetch = (input, init = {}) => {
  const isRead = (init.method ?? 'GET') === 'GET' && new URL(String(input), location.href).pathname !== STREAM;
  return fetch(input, isRead ? { ...init, signal: untilLost(init.signal) } : init);
};

/** Ends what is read when nobody waits for it any more, or nobody should. */
export function untilLost(signal?: AbortSignal | null): AbortSignal {
  const late = AbortSignal.timeout(READ_MS);
  return signal ? AbortSignal.any([signal, late]) : late;
}
