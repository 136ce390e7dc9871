import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type DatabaseProxy, startDatabaseProxy, type TestPostgres, usePostgres } from './postgres.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { newWallet } from './wallet.js';

let postgres: TestPostgres;
let proxy: DatabaseProxy;
let service: Service;
before(async () => {
  postgres = await usePostgres();
  proxy = await startDatabaseProxy(await postgres.createDatabase());
  service = await startService({ env: { DATABASE_URL: proxy.url } });
});
after(async () => {
  await service?.close();
  await proxy?.close();
  await postgres?.stop();
});

const ready = () => request<{ checks: { database: string; chain: string; files: string } }>(`${service.url}/readyz`);

it('while the database hangs the service says so and refuses, and it serves again when the database answers', async () => {
  const sender = await newWallet(service);
  const craft = () => request(`${service.url}/tokens/v2/verify/express/craft-txn?senderAddress=${sender.address}`);
  assert.equal((await craft()).status, 200);
  await eventually('it is ready', async () => ((await ready()).status === 200 ? true : undefined));

  proxy.hang();
  const crafted = craft();
  const first = await eventually('it says so', async () => {
    const answer = await ready();
    // Another probe may have taken too long, too, where the machine is busy.
    const { chain, files } = answer.body.checks;
    return answer.status === 503 && chain === 'ok' && files === 'ok' ? answer : undefined;
  });
  const { checks } = first.body as { checks?: object };
  assert.deepEqual(checks, { database: 'failed', chain: 'ok', files: 'ok', keeper: 'ok' });
  assert.equal((await request(`${service.url}/livez`)).status, 200);
  // This area has no 503.
  assert.equal((await crafted).status, 500);

  proxy.resume();
  await eventually('it is ready again', async () => ((await ready()).status === 200 ? true : undefined), 60);
  await eventually('it serves again', async () => ((await craft()).status === 200 ? true : undefined), 60);
});
