import type { RouteOptions } from 'fastify';
import { type ErrorShape, gatewayError } from '../errors/index.js';
import { BODY_LIMIT } from './json-body.js';

type Answers = Record<string, { description: string } & ({ $ref: string } | { anyOf: { $ref: string }[] })>;

/** The error answers of a route in the API document, by status. They follow from what the route says of itself. */
export function errorAnswers({ config, schema, bodyLimit = BODY_LIMIT }: RouteOptions): Answers {
  const { auth = 'none', errorShape = gatewayError, errors = {} } = config ?? {};
  const ofArea = (description: string) => ({ ...refTo(errorShape), description });
  /** What stands before the area refuses as well, in its own shape. */
  const ofEither = (description: string) =>
    errorShape === gatewayError ? ofArea(description) : { anyOf: [gatewayError, errorShape].map(refTo), description };
  const ofRoute = Object.entries(errors).filter(([status]) => status !== '429');
  const hasKey = auth === 'key' || auth === 'key-or-wallet' || auth === 'wallet';
  const takesFields = schema?.body !== undefined || schema?.params !== undefined || schema?.querystring !== undefined;
  return {
    ...(takesFields && {
      // Of a path that is no path, nobody knows whose it is.
      400: (schema?.params ? ofEither : ofArea)(
        'The request cannot be served as it is: the answer says what to change',
      ),
    }),
    ...(auth !== 'none' && { 401: ofArea(CREDENTIALS[auth]) }),
    ...(hasKey && {
      403: ofEither('The key does not have access, or the area refuses'),
      429:
        errors[429] === undefined
          ? { ...refTo(gatewayError), description: TOO_MANY }
          : ofEither(`${TOO_MANY}. ${errors[429]}`),
    }),
    ...(auth === 'admin' && {
      403: ofEither('The admin does not have the role that this needs, or the page may not call'),
      429: { ...refTo(gatewayError), description: 'Too many wrong admin tokens came from this address' },
    }),
    ...(schema?.body !== undefined && {
      413: ofArea(`The body has more than ${bodyLimit.toLocaleString('en-US')} bytes`),
      415: ofArea('The body has another content type'),
    }),
    ...Object.fromEntries(ofRoute.map(([status, description]) => [status, ofArea(description)])),
    '4xx': ofEither('The request cannot be served'),
    500: ofArea('The service failed'),
    ...(auth !== 'none' &&
      !errorShape.without503 && {
        503: ofEither('Something that the service needs is away: the header Retry-After says when to try again'),
      }),
    '5xx': ofEither('The service failed'),
  };
}

const TOO_MANY = 'Too many requests: `limit` says of which kind, and the header Retry-After when to try again';

const CREDENTIALS = {
  key: 'The header x-api-key is missing, or its key is not known',
  'key-or-wallet': 'The key is missing or not known, or the token of the login is not known or expired',
  wallet: 'The key or the token of the login is missing, not known or expired',
  admin: 'The admin token is missing or wrong',
};

export const refTo = ({ schema }: ErrorShape) => ({ $ref: `${schemaName(schema)}#` });
export const schemaName = (schema: object) => (schema as { $id: string }).$id;
