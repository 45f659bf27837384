/**
 * `berth api <router>.<procedure>`: every procedure of the interface, made from the contracts. Loaded when it
 * is asked for and not before, since the contracts with their schemas take longer to load than a word to run.
 */
import { call, type CallKind, type Connection } from '../../client/call.ts';
import { follow } from '../../client/follow.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures, type NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { verbOf, type Procedure } from '../../server/src/procedure/procedure.ts';
import { z } from 'zod';
import { procedureHelp, routerHelp } from './api-help.ts';
import { inputFrom } from './api-input.ts';
import { readConnection } from '../connection/config.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf, type Flags } from '../flags.ts';
import { printableJson } from '../output/printable.ts';
import { printEvent } from '../output/print-event.ts';
import { exists, fileToSend, readText, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** Calls the procedure of that name, or shows its help, or the procedures of a router of that name. */
export async function runProcedure(name: string, flags: Flags, terminal: Terminal): Promise<number> {
  const procedures = listProcedures(contracts);
  const ofRouter = procedures.filter(({ router }) => router === name);
  if (ofRouter.length > 0) return answer(terminal, routerHelp(ofRouter));
  const target = procedures.find(({ path }) => path === name);
  if (!target)
    throw new UsageError(
      `There is no ${name}. \`berth api\` lists the routers, \`berth api <router>\` its procedures.`,
    );
  if (flags.flags.has('help')) return answer(terminal, procedureHelp(target));
  return callProcedure(target, flags, terminal);
}

function answer(terminal: Terminal, text: string): number {
  terminal.out(text);
  return exitCodes.done;
}

const callKindOf = (procedure: Procedure): CallKind =>
  procedure.kind === 'subscription' && verbOf(procedure) === 'POST'
    ? 'changing subscription'
    : procedure.kind;

/** Of what answers only at its end, such as a restore. */
const wholeLimitMs = 24 * 3_600_000;

async function callProcedure(target: NamedProcedure, flags: Flags, terminal: Terminal): Promise<number> {
  const { path, procedure } = target;
  const input = await inputFrom(path, procedure, flags, {
    read: (from) => readText(terminal, from),
    exists,
  });
  const file = await fileFor(path, procedure.kind === 'upload', flags, terminal);
  const connection = await readConnection(terminal.environment);
  if (procedure.kind === 'subscription' && (procedure.whole === undefined || flags.flags.has('follow')))
    return showStream(connection, target, input, flags, terminal);
  const value = await call(
    connection,
    { path, kind: callKindOf(procedure), input, file },
    { signal: terminal.signal, ...(procedure.whole === undefined ? {} : { limitMs: wholeLimitMs }) },
  );
  answer(terminal, `${printableJson(value, 2)}\n`);
  return procedure.kind === 'query' ? exitCodes.done : outcomeOf(value);
}

/** Of what answers with a program's end its exit code, of what says that it failed 1. */
function outcomeOf(value: unknown): number {
  const told = ended.safeParse(value);
  if (!told.success) return exitCodes.done;
  const { success, exitCode } = told.data;
  if (exitCode === undefined) return success === false ? exitCodes.refused : exitCodes.done;
  return exitCode ?? exitCodes.refused;
}

/** Without an exit code (null) the program did not start, or was ended. */
const ended = z.object({ success: z.boolean().optional(), exitCode: z.number().nullable().optional() });

async function fileFor(
  path: string,
  isUpload: boolean,
  flags: Flags,
  terminal: Terminal,
): Promise<File | undefined> {
  const name = textOf(flags, 'file');
  if (isUpload !== (name !== undefined))
    throw new UsageError(isUpload ? `${path} needs --file PATH.` : `${path} takes no --file.`);
  return name === undefined ? undefined : fileToSend(terminal, name);
}

async function showStream(
  connection: Connection,
  { path, procedure }: NamedProcedure,
  input: unknown,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  let failed = false;
  const show = (event: unknown): void => {
    failed = printEvent(event, terminal) === 'failed' || failed;
  };
  if (flags.flags.has('follow')) {
    for await (const { data } of follow(connection, path, input, {
      signal: terminal.signal,
      method: verbOf(procedure),
    }))
      show(data);
  } else {
    const now = await call(
      connection,
      { path, kind: callKindOf(procedure), input },
      { signal: terminal.signal },
    );
    const lines: unknown = typeof now === 'object' && now !== null ? Reflect.get(now, 'lines') : undefined;
    if (Array.isArray(lines)) lines.forEach(show);
  }
  return failed ? exitCodes.refused : exitCodes.done;
}
