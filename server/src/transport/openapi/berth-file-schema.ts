/** The JSON Schema of berth.yml as text: served, and published in docs/reference. */
import { berthFile } from '../../modules/berth-file/record.ts';
import { jsonSchemaOf } from '../../procedure/describe/json-schema.ts';

let text: string | undefined;

/** Made when it is first asked for; the same bytes each time. */
export function berthFileSchema(): string {
  text ??= written();
  return text;
}

function written(): string {
  const { schema, definitions } = jsonSchemaOf(berthFile, 'input');
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'berth.yml',
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
  return `${JSON.stringify(whole, null, 1)}\n`;
}
