import autocannon from 'autocannon';
import { API_KEY } from './service.js';

export interface Request {
  path: string;
  /** JSON text; a POST where there is one. */
  body?: string;
}

export interface Load {
  url: string;
  connections: number;
  /** Round and round on every connection, for `seconds`; or each of them once, spread over the connections. */
  requests: Request[];
  seconds?: number;
  /** Text that the body of each answer must contain. */
  expect: string;
}

/** One round of load. Times are milliseconds. */
export interface Round {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** Share of the time in which the load generator itself was busy: near 1, it is what limits the throughput. */
  generatorBusy: number;
}

/** Puts load on a server. Throws when any answer was not the expected one. */
export async function putLoad({ url, connections, requests, seconds, expect }: Load): Promise<Round> {
  const prepared = requests.map(prepare);
  const times: number[] = [];
  let connection = 0;
  let started = performance.now();
  let ended = started;
  const busyBefore = performance.eventLoopUtilization();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      timeout: 30,
      verifyBody: (body) => String(body).includes(expect),
      ...(seconds === undefined ? { amount: prepared.length } : { duration: seconds }),
      setupClient: (client) => {
        const index = connection++;
        client.setRequests(
          seconds === undefined ? everyNth(prepared, connections, index) : rotated(prepared, index % prepared.length),
        );
      },
    };
    const run = autocannon(options, (error: Error | null, finished: autocannon.Result) =>
      error ? reject(error) : resolve(finished),
    );
    run.on('start', () => {
      started = performance.now();
    });
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      times.push(milliseconds);
      ended = performance.now();
    });
  });
  const generatorBusy = performance.eventLoopUtilization(busyBefore).utilization;
  const { errors, timeouts, non2xx, mismatches } = result;
  if (errors + timeouts + non2xx + mismatches > 0 || times.length === 0) {
    const counts = `${errors} errors, ${timeouts} timeouts, ${non2xx} not 2xx, ${mismatches} with another body`;
    throw new Error(`${times.length} answers from ${url}, but ${counts}`);
  }
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    perSecond: times.length / ((ended - started) / 1_000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    generatorBusy,
  };
}

function prepare({ path, body }: Request): autocannon.Request {
  const headers = { 'x-api-key': API_KEY };
  if (body === undefined) return { method: 'GET', path, headers };
  return { method: 'POST', path, body, headers: { ...headers, 'content-type': 'application/json' } };
}

/** Autocannon gives the first connections one more where the amount cannot be divided: so does this. */
function everyNth<T>(items: T[], count: number, offset: number): T[] {
  return items.filter((_, index) => index % count === offset);
}

/** Connections that begin at different requests do not ask for the same thing at the same time. */
function rotated<T>(items: T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}

/** Of sorted values, nearest rank. */
export function quantile(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
