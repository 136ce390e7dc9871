import type { Call } from './call.js';
import { RPC_CODE, RpcError } from './errors.js';
import { parseJson, stringifyJson } from './json.js';

type Id = string | number | bigint | null;

/**
 * Answers the text of a JSON-RPC request or batch with the text of the response; undefined where there is nothing to
 * answer, because all of it was notifications. Never rejects.
 */
export async function answer(text: string, call: Call): Promise<string | undefined> {
  let request: unknown;
  try {
    request = parseJson(text);
  } catch {
    return stringifyJson(failure(null, new RpcError(RPC_CODE.parseError, 'Parse error')));
  }
  if (!Array.isArray(request)) {
    const response = await answerOne(request, call);
    return response && stringifyJson(response);
  }
  if (request.length === 0) return stringifyJson(failure(null, invalidRequest('the batch is empty')));
  const responses = await Promise.all(request.map((item) => answerOne(item, call)));
  const answered = responses.filter((response) => response !== undefined);
  return answered.length === 0 ? undefined : stringifyJson(answered);
}

async function answerOne(request: unknown, call: Call): Promise<object | undefined> {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failure(null, invalidRequest('expected an object'));
  }
  const { id, method, params, jsonrpc } = request as Record<string, unknown>;
  if (id !== undefined && !isId(id)) return failure(null, invalidRequest('id is no string, number or null'));
  if (jsonrpc !== undefined && jsonrpc !== '2.0') return failure(id ?? null, invalidRequest('jsonrpc is not "2.0"'));
  if (typeof method !== 'string') return failure(id ?? null, invalidRequest('method is no string'));
  try {
    const result = await call(method, params);
    return id === undefined ? undefined : { jsonrpc: '2.0', result: result ?? null, id };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return id === undefined ? undefined : failure(id, error);
  }
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

function failure(id: Id, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', error: { code, message, data }, id };
}

function invalidRequest(problem: string): RpcError {
  return new RpcError(RPC_CODE.invalidRequest, `Invalid request: ${problem}`);
}
