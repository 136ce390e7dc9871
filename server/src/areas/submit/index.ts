import type { FastifyInstance } from 'fastify';
import { plainError } from '../../errors/index.js';
import type { Area } from '../area.js';
import type { SubmitDeps } from './deps.js';
import { StatusAnswer, StatusParams, SubmitAnswer, SubmitBody } from './schema.js';
import { status } from './status.js';
import { submit } from './submit.js';

export type { SubmitDeps } from './deps.js';

export const submitArea: Area = {
  name: 'submit',
  tag: 'Transaction submit',
  errorShape: plainError,
  register(server, { config, store, chain, landing }) {
    registerSubmit(server, { store, chain, landing, ...config.submit });
  },
};

export function registerSubmit(app: FastifyInstance, deps: SubmitDeps): void {
  const tags = ['Transaction submit'];
  app.post<{ Body: SubmitBody }>(
    '/tx/v1/submit',
    {
      config: { errorShape: plainError, auth: 'key', bucket: 'execute' },
      schema: { tags, summary: 'Land a fully signed transaction', body: SubmitBody, response: { 200: SubmitAnswer } },
    },
    (request) => submit(deps, request.body),
  );
  app.get<{ Params: StatusParams }>(
    '/tx/v1/status/:signature',
    {
      config: { errorShape: plainError, auth: 'key' },
      schema: {
        tags,
        summary: 'What has become of a transaction',
        params: StatusParams,
        response: { 200: StatusAnswer },
      },
    },
    (request) => status(deps, request.params),
  );
}
