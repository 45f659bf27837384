/** Calls any procedure by what its contract says of it: verb, query or body, upload. */
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { listProcedures, type NamedProcedure } from '../../server/src/procedure/listing.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import { inputQuery, send, type Answer } from '../http/call.ts';
import { verbOf } from '../../server/src/procedure/procedure.ts';

/** Every procedure there is. */
export const procedures: readonly NamedProcedure[] = listProcedures(contracts);

export type Form = 'a' | 'b';

const answerLimitMs = 30_000;

/** Gives status and body whatever they are; the limit is 30 s. An upload sends these files in an archive. */
export type Call = (
  path: string,
  input?: unknown,
  form?: Form,
  files?: Record<string, string>,
) => Promise<Answer>;

export function callerOf(url: string, headers: Record<string, string> = {}): Call {
  return async (path, input = {}, form = 'b', files) => {
    const procedure = procedures.find((each) => each.path === path)?.procedure;
    if (procedure === undefined) throw new Error(`There is no procedure ${path}.`);
    const address = `${url}/api/${form === 'a' ? 'trpc/' : ''}${path}`;
    const signal = AbortSignal.timeout(answerLimitMs);
    try {
      if (procedure.kind === 'upload')
        return await send(address, { headers, body: await formOf(input, files), signal });
      return verbOf(procedure) === 'POST'
        ? await send(address, { headers, body: input, signal })
        : await send(`${address}${inputQuery(input)}`, { headers, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Error(`${path} was not answered within ${answerLimitMs / 1000} s.`, { cause: error });
    }
  };
}

/** The value of a call that must succeed. */
export async function valueOf(answer: Promise<Answer>): Promise<unknown> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(`The call was answered ${status}: ${text.slice(0, 500)}`);
  return body;
}

/** The fields, then a small archive. */
async function formOf(
  input: unknown,
  files: Record<string, string> = { 'index.html': 'hello' },
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(input ?? {})) form.append(name, String(value));
  form.append('file', new Blob([await archiveOf(files)]), 'source.tar');
  return form;
}

/** A tar archive of these files. */
export async function archiveOf(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name }, text);
  archive.finalize();
  return new Uint8Array(await buffer(archive));
}
