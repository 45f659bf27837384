/** Help, made from the contracts. */
import {
  describeRules,
  describeType,
  propertiesOf,
} from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';

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
