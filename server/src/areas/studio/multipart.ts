import type { IncomingHttpHeaders } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import type { StoredObject } from '../../objects/index.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The one file of a multipart form, on routes that take one. */
    formFile: StoredObject | undefined;
  }
}

const FORM = 'multipart/form-data';
/** Bytes of a form besides the file: its fields, and the boundaries between parts. */
export const FORM_FIELDS_BYTES = 128 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 64 * 1024, fields: 10, files: 1, parts: 11, headerPairs: 20 };
const UNSTORABLE = /\0|\ufffd/;
/** Of which hundreds of parts without content take a few milliseconds. */
const FEED_BYTES = 4 * 1024;

/** Makes the routes of `app` accept only a multipart form with at most one file, named `fileField`. */
export function acceptForm(app: FastifyInstance, fileField: string, maxFileBytes: number): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('formFile', undefined);
  app.addContentTypeParser<Buffer>(FORM, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    const { fields, file } = await readForm(request.headers, bytes, fileField, maxFileBytes);
    request.formFile = file;
    return file ? { ...fields, [fileField]: '' } : fields;
  });
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(new AppError('UNSUPPORTED_MEDIA_TYPE', { message: `The content type is not supported; send ${FORM}` }));
  });
}

interface Form {
  fields: Record<string, string>;
  file: StoredObject | undefined;
}

/** @throws AppError for a form that is broken, too large, or has a part twice. */
function readForm(headers: IncomingHttpHeaders, bytes: Buffer, fileField: string, maxFileBytes: number): Promise<Form> {
  return new Promise((resolve, reject) => {
    const form: Form = { fields: Object.create(null) as Record<string, string>, file: undefined };
    let isRefused = false;
    const fail = (error: AppError) => {
      isRefused = true;
      reject(error);
    };
    const refuse = (message: string) => fail(new AppError('INVALID_REQUEST', { message }));
    const limits = { ...LIMITS, fileSize: maxFileBytes };
    const reader = openReader(headers, limits);
    if (!reader) return refuse(`content-type: expected ${FORM} with a boundary`);
    reader.on('field', (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) refuse(`body: expected fields of at most ${LIMITS.fieldSize} bytes`);
      else if (name in form.fields) refuse(`${name}: expected to be given only once`);
      else if (UNSTORABLE.test(value)) refuse(`${name}: expected UTF-8 without NUL characters`);
      else if (name === fileField) refuse(`${name}: expected a file`);
      else form.fields[name] = value;
    });
    reader.on('file', (name, stream, _filename, _encoding, contentType) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      // What ends in the middle of a file is told here, too: without anybody who hears it, the process would end.
      stream.on('error', () => refuse(`body: expected a complete ${FORM}`));
      stream.on('limit', () => {
        fail(new AppError('PAYLOAD_TOO_LARGE', { message: `${name}: expected at most ${maxFileBytes} bytes` }));
      });
      stream.on('end', () => {
        if (name === fileField) form.file = { contentType, bytes: Buffer.concat(chunks) };
        else refuse(`${name}: expected no file`);
      });
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      reader.on(limit, () => refuse('body: expected fewer parts'));
    }
    reader.on('error', () => refuse(`body: expected a complete ${FORM}`));
    reader.on('finish', () => resolve(form));
    void feed(reader, bytes, () => isRefused);
  });
}

/** Part by part, so that no more is read of a form that is refused: a part without content takes six bytes. */
async function feed(reader: InstanceType<typeof Busboy>, bytes: Buffer, isRefused: () => boolean): Promise<void> {
  for (let from = 0; from < bytes.length && !isRefused(); from += FEED_BYTES) {
    await new Promise((resolve) => reader.write(bytes.subarray(from, from + FEED_BYTES), resolve));
  }
  if (isRefused()) reader.destroy();
  else reader.end();
}

function openReader(headers: IncomingHttpHeaders, limits: object) {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits,
      isPartAFile: (_name, _type, filename) => filename !== undefined,
    });
  } catch {
    return undefined;
  }
}
