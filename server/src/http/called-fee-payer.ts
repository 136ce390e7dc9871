import type { CalledFeePayer } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import { AppError, invalidField } from '../errors/index.js';

/** Names the field in which the client has sent a program that the transaction calls: only a wallet pays for it. */
export function explainFeePayer({ feePayer }: CalledFeePayer, request: FastifyRequest): AppError {
  for (const part of [request.query, request.params, request.body]) {
    const [field] = Object.entries(part ?? {}).find(([, value]) => value === feePayer) ?? [];
    if (field !== undefined)
      return invalidField(field, 'expected a wallet; the transaction calls this one as a program');
  }
  return new AppError('INTERNAL');
}
