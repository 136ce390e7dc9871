import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, plainError } from '../errors/index.js';
import { startTestServer } from './testing.js';

test('a line for each request says what happened, holds no query, and cannot steer a terminal', async () => {
  const lines: string[] = [];
  const { app } = await startTestServer(
    (server) => {
      const config = { errorShape: plainError, auth: 'none' } as const;
      server.get('/execute', {
        config,
        handler: () => ({ status: 'Success', signature: '64ci', transaction: 'AAAA' }),
      });
      server.get('/order', { config, handler: () => ({ errorMessage: 'Insufficient funds', inAmount: '1' }) });
      server.get('/refused', {
        config,
        handler: () => {
          throw new AppError('INVALID_REQUEST', { message: 'amount: \u001b[31mno\n' });
        },
      });
      server.get('/list', { config, handler: () => [1, 2] });
    },
    { print: (line) => lines.push(line) },
  );
  for (const url of [
    '/execute?token=secret',
    '/order',
    '/refused',
    '/list',
    '/none\u00e9',
    '/livez',
    '/docs/static/index.html',
  ]) {
    await app.inject({ url });
  }
  await app.close();
  const said = lines.map((line) => line.replace(/ \d+ ms/, ''));
  assert.deepEqual(said, [
    'GET /execute 200  Success  64ci',
    'GET /order 200  Insufficient funds',
    'GET /refused 400  amount: ?[31mno?',
    'GET /list 200',
    'GET /none%C3%A9 404  Cannot GET:/none%C3%A9',
  ]);
});
