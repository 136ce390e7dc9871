import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTestServer } from '../../http/testing.js';
import { registerListRouters } from './list-routers.js';

it('the routers are those that are in use, by id and name alone', async () => {
  const routers = [
    { id: 'metis', name: 'Metis', secret: 'not for clients' },
    { id: 'jupiterz', name: 'JupiterZ' },
  ] as const;
  const { app } = await startTestServer((server) => registerListRouters(server, routers));
  const answer = await app.inject({ url: '/ultra/v1/order/routers', headers: { 'x-api-key': 'good-key' } });
  assert.deepEqual(answer.json(), [
    { id: 'metis', name: 'Metis' },
    { id: 'jupiterz', name: 'JupiterZ' },
  ]);
  await app.close();
});
