import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, type Request, type Round } from './load.js';
import { API_KEY } from './service.js';

export interface Offered {
  url: string;
  /** GET requests, round and round. */
  requests: Request[];
  /** How many are sent a second, whether or not those before them are answered. */
  perSecond: number;
  seconds: number;
  /** Text that the body of each answer must contain. */
  expect: string;
}

/**
 * Offers requests at fixed times, as many independent clients do, and measures each answer from the time at which its
 * request was due: what waits behind a slow answer counts as slow, too. Throws when any answer was not the expected one.
 */
export async function offerLoad({ url, requests, perSecond, seconds, expect }: Offered): Promise<Round> {
  const agent = new Agent({ keepAlive: true });
  const busyBefore = performance.eventLoopUtilization();
  const started = performance.now();
  const answers: Promise<number | Error>[] = [];
  const due = (index: number) => started + (index * 1_000) / perSecond;
  for (let index = 0; index < perSecond * seconds; index++) {
    while (performance.now() < due(index)) await sleep(1);
    const { path } = requests[index % requests.length]!;
    const answer = get(agent, `${url}${path}`, expect).then(() => performance.now() - due(index));
    answers.push(answer.catch((error: Error) => error));
  }
  const outcomes = await Promise.all(answers);
  const ended = performance.now();
  agent.destroy();
  const failed = outcomes.filter((outcome) => outcome instanceof Error);
  if (failed.length > 0) throw new Error(`${failed.length} of ${outcomes.length} failed: ${failed[0]!.message}`);
  const times = outcomes.filter((outcome) => typeof outcome === 'number').sort((a, b) => a - b);
  return {
    requests: times.length,
    perSecond: times.length / ((ended - started) / 1_000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    generatorBusy: performance.eventLoopUtilization(busyBefore).utilization,
  };
}

function get(agent: Agent, url: string, expect: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { 'x-api-key': API_KEY } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200 && Buffer.concat(parts).includes(expect)) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
