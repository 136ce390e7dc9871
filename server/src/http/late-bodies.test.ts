import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { plainError } from '../errors/index.js';
import { startTestServer, testKeys } from './testing.js';

const BODY = '{"owner":"x"}';
/** Longer than a body may take before its sender is looked at again. */
const LATE_MS = 1_200;

/** A server on which everybody may do what he asks for until `end` is called. */
async function startEnding(t: { after(done: () => Promise<void>): void }) {
  const done: string[] = [];
  let isOver = false;
  const handler = ({ url }: FastifyRequest, reply: FastifyReply) => {
    done.push(url);
    return reply.send({ ok: true });
  };
  const routes = (app: FastifyInstance) => {
    app.post('/key', { config: { errorShape: plainError, auth: 'key' }, handler });
    app.post('/wallet', { config: { errorShape: plainError, auth: 'wallet' }, handler });
    app.post('/admin', { config: { errorShape: plainError, auth: 'admin' }, handler });
  };
  const acts: string[] = [];
  const { app } = await startTestServer(routes, {
    keys: (key) => (isOver && key !== 'in-time' ? undefined : testKeys['good-key']),
    wallets: async () => (isOver ? undefined : WRAPPED_SOL_MINT),
    admins: {
      byToken: async () => (isOver ? undefined : { name: 'thief', roles: ['all'] }),
      byName: async () => undefined,
    },
    recordAct: async ({ what }) => void acts.push(what),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  let heads = 0;
  app.server.on('request', () => {
    heads += 1;
  });
  /** Sends the head of a request; the function that it returns sends the body, and resolves with the status. */
  const open = async (path: string, headers: Record<string, string>) => {
    const call = request({ port, path, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } });
    call.setHeader('content-length', BODY.length);
    const answered = once(call, 'response');
    call.write(BODY.slice(0, 1));
    return async (): Promise<number> => {
      call.end(BODY.slice(1));
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode;
    };
  };
  return {
    done,
    acts,
    open,
    async arrived(calls: number) {
      while (heads < calls) await once(app.server, 'request');
    },
    end() {
      isOver = true;
    },
  };
}

const KEY = { 'x-api-key': 'stolen' };
const TOKEN = { authorization: 'Bearer stolen' };

test('attack: a thief of a key keeps calls of it, of a login and of an admin open until they are ended, and sends the rest then: nothing is done', async (t) => {
  const server = await startEnding(t);
  const calls = await Promise.all([
    server.open('/key', KEY),
    server.open('/wallet', { 'x-api-key': 'in-time', ...TOKEN }),
    server.open('/admin', TOKEN),
  ]);
  await server.arrived(calls.length);
  await sleep(LATE_MS);
  server.end();
  assert.deepEqual(await Promise.all(calls.map((finish) => finish())), [401, 401, 401]);
  assert.deepEqual([server.done, server.acts], [[], []]);
});

test('a call whose body comes late is answered where nothing has ended', async (t) => {
  const server = await startEnding(t);
  const calls = await Promise.all([
    server.open('/key', KEY),
    server.open('/wallet', { ...KEY, ...TOKEN }),
    server.open('/admin', TOKEN),
  ]);
  await server.arrived(calls.length);
  await sleep(LATE_MS);
  assert.deepEqual(await Promise.all(calls.map((finish) => finish())), [200, 200, 200]);
  assert.deepEqual(server.done.sort(), ['/admin', '/key', '/wallet']);
  assert.deepEqual(server.acts, ['POST /admin']);
});
