import type { Call } from './call.js';
import { RPC_CODE, RpcError } from './errors.js';
import { parseJson, stringifyJson } from './json.js';

type Id = string | number | bigint | null;

/** Characters of the answer to a batch. */
const MAX_ANSWER = 64 << 20;
/** Requests of a batch that are answered at the same time. */
const AT_ONCE = 10;

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
    return response && textOf(response);
  }
  return request.length === 0
    ? stringifyJson(failure(null, invalidRequest('the batch is empty')))
    : answerAll(request, call);
}

/** Some at a time, and no further than an answer may be long: a megabyte of requests may ask for gigabytes. */
async function answerAll(requests: unknown[], call: Call): Promise<string | undefined> {
  const texts: string[] = [];
  let length = 0;
  for (let from = 0; from < requests.length; from += AT_ONCE) {
    const responses = await Promise.all(requests.slice(from, from + AT_ONCE).map((item) => answerOne(item, call)));
    for (const response of responses) {
      if (response === undefined) continue;
      const text = textOf(response);
      length += text.length;
      if (length > MAX_ANSWER) return stringifyJson(failure(null, TOO_LONG));
      texts.push(text);
    }
  }
  return texts.length === 0 ? undefined : `[${texts.join(',')}]`;
}

const TOO_LONG = new RpcError(RPC_CODE.internal, 'The answer is too long; ask for less at a time');

function textOf(response: Response): string {
  try {
    return stringifyJson(response);
  } catch (error) {
    // Longer than a text can be.
    if (!(error instanceof RangeError)) throw error;
    return stringifyJson(failure(response.id, TOO_LONG));
  }
}

interface Response {
  jsonrpc: '2.0';
  id: Id;
  result?: unknown;
  error?: Pick<RpcError, 'code' | 'message' | 'data'>;
}

async function answerOne(request: unknown, call: Call): Promise<Response | undefined> {
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

function failure(id: Id, { code, message, data }: RpcError): Response {
  return { jsonrpc: '2.0', error: { code, message, data }, id };
}

function invalidRequest(problem: string): RpcError {
  return new RpcError(RPC_CODE.invalidRequest, `Invalid request: ${problem}`);
}
