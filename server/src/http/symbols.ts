import type { FastifyRequest } from 'fastify';
import { AppError, NO_ADDRESS } from '../errors/index.js';

/** The mint of a token that the operator vouches for, by its symbol; undefined if there is none. */
export type MintOf = (symbol: string) => string | undefined;

/** Adds to an error about a field that wants a mint and got the symbol of a token which mint that is. */
export function explainSymbol(error: AppError, request: FastifyRequest, mintOf: MintOf): AppError {
  const [entry, ...others] = Object.entries(error.details ?? {});
  if (error.code !== 'INVALID_REQUEST' || entry === undefined || others.length > 0) return error;
  const [field, expected] = entry;
  if (!/(?:mints?|tokenId)$/i.test(field) || typeof expected !== 'string' || !expected.startsWith(NO_ADDRESS))
    return error;
  const given = textOf(request, field);
  const named = given?.split(',').find((part) => mintOf(part.trim()) !== undefined);
  if (named === undefined) return error;
  const better = `${expected}; ${named.trim()} is a symbol: its mint is ${mintOf(named.trim())}`;
  return new AppError('INVALID_REQUEST', {
    message: error.message.replace(expected, better),
    details: { [field]: better },
  });
}

/** What the client has sent as a field such as `inputMint` or `buildCurveByMarketCapParam.quoteMint`, if it is text. */
function textOf(request: FastifyRequest, field: string): string | undefined {
  for (const part of [request.query, request.params, request.body]) {
    let member: unknown = part;
    for (const step of field.split('.')) {
      const isOwn = typeof member === 'object' && member !== null && Object.hasOwn(member, step);
      member = isOwn ? (member as Record<string, unknown>)[step] : undefined;
    }
    if (typeof member === 'string') return member;
  }
  return undefined;
}
