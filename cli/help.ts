/** Help, made from the contracts. */
import { describeRules, describeType, propertiesOf } from '../server/src/procedure/describe-type.ts';
import { inlineSchemaOf } from '../server/src/procedure/json-schema.ts';
import type { NamedProcedure } from '../server/src/procedure/listing.ts';

const general = `Berth from the command line. Every procedure of the interface is a command.

  berth <router>.<procedure> --field value …     calls it and prints the answer as JSON
  berth <router>                                 its procedures
  berth <router>.<procedure> --help              its fields

  berth sign-up --url URL --email E --name N     makes the first user of a new Berth and stays signed in;
                                                 with --token T whoever was invited
  berth login --url URL [--email E]              signs in with a password (with --email) or an API key;
                                                 both are asked for, or read from the standard input;
                                                 with --token T the invited user joins another
                                                 organization
  berth logout                                   revokes the key that login made and forgets it
  berth reset-password --email E                 on Berth's own machine, as root: sets a forgotten
                                                 password anew

Values: a field more than once makes a list; lists and objects may be JSON; a bare --field is true,
--no-field is false or null; @file is the file's content where there is such a file (@./file and @/file
always), @- the standard input, and @@text a text that begins with @.
--input '{…}' gives the whole input. --follow keeps a stream open. --file PATH is what an upload sends,
--file - what comes through a pipe. A command may be one quoted text or a field for each word.

Address and key: BERTH_URL and BERTH_API_KEY, else what login stored in ~/.config/berth/config.json.
Exit codes: 0 done; 1 refused, or a deployment that failed; 2 wrong usage; 3 Berth cannot be reached;
of application.run the program's own.
`;

export function generalHelp(procedures: readonly NamedProcedure[]): string {
  const routers = [...Map.groupBy(procedures, ({ router }) => router).keys()];
  return `${general}\nRouters: ${routers.join(', ')}\n`;
}

export function routerHelp(procedures: readonly NamedProcedure[]): string {
  const width = Math.max(...procedures.map(({ path }) => path.length));
  return procedures.map(({ path, procedure }) => `${path.padEnd(width)}  ${procedure.summary}\n`).join('');
}

export function procedureHelp({ path, procedure }: NamedProcedure): string {
  const fields = propertiesOf(inlineSchemaOf(procedure.input, 'input'));
  const own = [
    ...(procedure.kind === 'upload' ? ['  --file PATH (required)  what is sent'] : []),
    ...(procedure.kind === 'subscription'
      ? [
          '  --follow  shows it as it comes; without it, ' +
            `${procedure.whole === undefined ? 'what there is now' : 'all of it at its end'}`,
        ]
      : []),
  ];
  const lines = fields.map(({ name, required, schema }) => {
    const rules = describeRules(schema);
    return (
      `  --${name} ` +
      `${describeType(schema)}${required ? ' (required)' : ''}${rules === '' ? '' : `  ${rules}`}`
    );
  });
  const parts = [
    `${path}: ${procedure.summary}`,
    ...(procedure.description === undefined ? [] : [procedure.description]),
    [...lines, ...own].join('\n') || '  (no fields)',
  ];
  return `${parts.join('\n\n')}\n`;
}
