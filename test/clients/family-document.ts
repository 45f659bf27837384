/**
 * The interface of the family as it is published: every procedure with its verb and fields, read from what
 * its own command line was generated from.
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

export interface FamilyField {
  isRequired: boolean;
  /** It takes these values only. */
  values: readonly string[] | undefined;
}

export interface FamilyProcedure {
  verb: 'GET' | 'POST';
  fields: ReadonlyMap<string, FamilyField>;
}

const generated = join(import.meta.dirname, '../../node_modules/@dokploy/cli/dist/generated/commands.js');

/** Path, such as `application.create`, → the procedure. */
export async function familyDocument(): Promise<ReadonlyMap<string, FamilyProcedure>> {
  const procedures = new Map<string, FamilyProcedure>();
  const { registerGeneratedCommands }: { registerGeneratedCommands(program: unknown): void } = await import(
    pathToFileURL(generated).href
  );
  registerGeneratedCommands(commandOf(procedures));
  return procedures;
}

interface Command {
  command(): Command;
  description(text: string): Command;
  option(flag: string, text: string): Command;
  requiredOption(flag: string, text: string): Command;
  action(run: () => unknown): Command;
}

/** What the generated text calls, in the place of the library that it was written for. */
function commandOf(procedures: Map<string, FamilyProcedure>): Command {
  let path = '';
  const fields = new Map<string, FamilyField>();
  const take = (flag: string, text: string, isRequired: boolean): void => {
    const [, values] = /\(([^)]*)\)$/.exec(text) ?? [];
    const name = flag.replace(/^--/, '').split(' ')[0] ?? '';
    if (name !== 'json') fields.set(name, { isRequired, values: values?.split(', ') });
  };
  const command: Command = {
    command: () => commandOf(procedures),
    description(text) {
      path = text.replace(' ', '.');
      return command;
    },
    option(flag, text) {
      take(flag, text, false);
      return command;
    },
    requiredOption(flag, text) {
      take(flag, text, true);
      return command;
    },
    action(run) {
      procedures.set(path, { verb: run.toString().includes('apiGet(') ? 'GET' : 'POST', fields });
      return command;
    },
  };
  return command;
}
