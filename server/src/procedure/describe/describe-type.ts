/** A JSON Schema in the short form that people read in a table: `string`, `"a" \| "b"`, `{id: string}[]`. */

export type Schema = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Objects deeper than this are written as `{…}`; their own pages show them. */
const depthLimit = 2;

export function describeType(schema: unknown, depth = 0): string {
  if (!isSchema(schema)) return 'any';
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives))
    return [...new Set(alternatives.map((one) => describeType(one, depth)))].join(' | ');
  const { type } = schema;
  if (Array.isArray(type))
    return type.map((one) => describeType({ ...schema, type: one }, depth)).join(' | ');
  if (type === 'array') return arrayType(describeType(schema['items'], depth));
  if (type === 'object') return objectType(schema, depth);
  return typeof type === 'string' ? type : 'any';
}

function arrayType(item: string): string {
  return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function objectType(schema: Schema, depth: number): string {
  const fields = propertiesOf(schema);
  if (fields.length === 0)
    return isSchema(schema['additionalProperties'])
      ? `map of ${describeType(schema['additionalProperties'], depth)}`
      : '{}';
  if (depth >= depthLimit) return '{…}';
  const described = fields.map(
    ({ name, required, schema: field }) => `${name}${required ? '' : '?'}: ${describeType(field, depth + 1)}`,
  );
  return `{${described.join(', ')}}`;
}

export interface Property {
  name: string;
  required: boolean;
  schema: Schema;
}

export function propertiesOf(schema: Schema): Property[] {
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  return properties.map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: isSchema(field) ? field : {},
  }));
}

/** Description, default and bounds, in the order a reader wants them. */
export function describeRules(schema: Schema): string {
  const bounds = [schema, ...alternativesOf(schema)];
  const rule = (key: string, words: string): string[] => {
    const values = bounds
      .map((one) => one[key])
      .filter(
        (value) =>
          typeof value === 'string' ||
          (typeof value === 'number' && Math.abs(value) !== Number.MAX_SAFE_INTEGER),
      );
    return [...new Set(values)].map((value) => `${words} ${String(value)}`);
  };
  return [
    ...(typeof schema['description'] === 'string' ? [schema['description']] : []),
    ...(schema['default'] === undefined ? [] : [`default \`${JSON.stringify(schema['default'])}\``]),
    ...rule('minLength', 'min length'),
    ...rule('maxLength', 'max length'),
    ...rule('minimum', 'min'),
    ...rule('maximum', 'max'),
    ...rule('minItems', 'min items'),
    ...rule('maxItems', 'max items'),
    ...rule('format', 'format'),
    ...patterns(bounds),
  ].join('; ');
}

function alternativesOf(schema: Schema): Schema[] {
  return Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isSchema) : [];
}

function patterns(schemas: readonly Schema[]): string[] {
  return [
    ...new Set(
      schemas.flatMap(({ pattern, format }) =>
        typeof pattern === 'string' && format === undefined ? [`pattern \`${pattern}\``] : [],
      ),
    ),
  ];
}
