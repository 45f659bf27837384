/**
 * Uploads: a form with the fields first and one file, or the file as the whole body with the input in the
 * query string.
 */
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { PassThrough, Transform, type Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { coerceQuery } from '../procedure/input/input.ts';
import type { Caller } from '../procedure/guard.ts';
import type { UploadedFile } from '../procedure/procedure.ts';
import type { RegisteredProcedure } from '../procedure/registry.ts';
import { parametersOf } from './request.ts';
import type { Wire } from './wire.ts';

const fieldLimits = { fields: 20, fieldSize: 10_000, files: 1 };

/** Checks who calls before the body is read; then gives the handler its input and the file as a stream. */
export async function receiveUpload(
  wire: Wire,
  request: FastifyRequest,
  target: RegisteredProcedure,
  caller: Caller,
): Promise<unknown> {
  const actor = await caller.authenticate();
  // A JSON body was read by the parser; without a content type there is no body.
  if (request.body !== undefined || request.headers['content-type'] === undefined) {
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the file in a form (multipart/form-data), or as the body with Content-Type: ' +
        'application/zip, application/x-tar, application/gzip or application/octet-stream.',
    );
  }
  const { ip, signal, recheckMs, authenticateAgain } = caller;
  const again = authenticateAgain ? { authenticateAgain } : {};
  const known: Caller = { ip, signal, recheckMs, ...again, authenticate: async () => actor };
  const limit = await wire.uploadLimit();
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) throw tooLarge(limit);
  const bytes = length > 0 ? length : undefined;
  const body = request.raw.pipe(limited(limit));
  const parameters = coerceQuery(target.procedure.input, parametersOf(request));
  const isForm = request.headers['content-type']?.startsWith('multipart/form-data') ?? false;
  try {
    const { fields, file } = isForm
      ? await readForm(request, body)
      : { fields: {}, file: { fileName: 'upload', content: body } };
    return await wire.guard.call(
      target,
      known,
      { ...parameters, ...coerceQuery(target.procedure.input, fields) },
      { ...file, bytes },
    );
  } finally {
    // What nobody read goes: the next request of the connection comes only after the end of this one.
    request.raw.unpipe(body);
    request.raw.resume();
  }
}

function readForm(
  request: FastifyRequest,
  body: Readable,
): Promise<{ fields: Record<string, string>; file: UploadedFile }> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const refuse = (error: unknown): void =>
      reject(
        error instanceof AppError
          ? error
          : new AppError('BAD_REQUEST', 'The upload is not a valid form.', { cause: error }),
      );
    const contentType = request.headers['content-type'] ?? '';
    let form: InstanceType<typeof Busboy>;
    try {
      form = new Busboy({ headers: { 'content-type': contentType }, limits: fieldLimits });
    } catch (error) {
      refuse(error);
      return;
    }
    form.on('field', (name: string, value: string) => {
      fields[name] = value;
    });
    form.on('file', (_name: string, stream: Readable, fileName: string | undefined) => {
      const content = new PassThrough();
      stream.pipe(content);
      form.once('error', (error: unknown) => content.destroy(asError(error)));
      body.once('error', (error) => content.destroy(error));
      resolve({ fields, file: { fileName: fileName ?? 'upload', content } });
    });
    form.once('error', refuse);
    form.once('finish', () =>
      refuse(
        new AppError('BAD_REQUEST', 'The form carries no file.', {
          issues: [{ path: 'file', message: 'is required' }],
        }),
      ),
    );
    body.once('error', refuse);
    body.pipe(form);
  });
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

function limited(limit: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      done(seen > limit ? tooLarge(limit) : null, chunk);
    },
  });
}

function tooLarge(limit: number): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `The upload is larger than ${Math.round(limit / 1024 / 1024)} MiB. Leave out what the build does ` +
      'not need, or raise the setting uploadLimit.',
  );
}
