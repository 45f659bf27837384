/**
 * Settings of records that come in kinds, each kind with fields of its own: given under the kind's name,
 * changed field by field, and shown without what is secret.
 */
import { z } from 'zod';
import { badField } from '../../domain/errors.ts';

export type Settings = Record<string, unknown>;

export interface SettingsDefinition<F extends z.ZodRawShape, S extends keyof F & string> {
  fields: F;
  /** Fields that are written and never shown. */
  secrets: readonly S[];
  /** A good value, for the reference. */
  example: z.input<z.ZodObject<F>>;
  /** Where its secrets go; with another one they have to be given again. */
  origin(settings: z.output<z.ZodObject<F>>): string;
  /** Throws what no schema says. */
  check?(settings: z.output<z.ZodObject<F>>, field: string): void;
}

/** Settings come in as they were stored or given; a kind parses them itself. */
export function defineSettings<F extends z.ZodRawShape, S extends keyof F & string>(
  definition: SettingsDefinition<F, S>,
) {
  const { fields, secrets } = definition;
  const schema = z.object(fields);
  const hidden = new Set<string>(secrets);
  const withoutHidden = <V>(values: Readonly<Record<string, V>>): Record<string, V> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !hidden.has(name)));
  return {
    example: definition.example,
    secrets: secrets as readonly string[],
    input: schema,
    changes: z.object(Object.fromEntries(Object.entries(fields).map(asChange))),
    shown: z.object(withoutHidden(fields)).meta({ examples: [withoutHidden(definition.example)] }),
    origin: (settings: unknown): string => definition.origin(schema.parse(settings)),
    check: (settings: unknown, field: string): void => definition.check?.(schema.parse(settings), field),
  };
}

/** A field of an update: absent is absent, so no default takes its place. */
function asChange([name, field]: [string, z.core.$ZodType]): [string, z.ZodType] {
  const bare = field instanceof z.ZodDefault ? field.unwrap() : field;
  return [name, z.optional(bare)];
}

/** What is asked of a kind here. */
export interface SettingsKind {
  secrets: readonly string[];
  input: z.ZodType<Settings>;
  origin(settings: unknown): string;
  check(settings: unknown, field: string): void;
}

export interface KindSettings<N extends string> {
  /** The settings of a new record. BAD_REQUEST naming the kind's field, or the one of another kind. */
  given(kind: N, input: Readonly<Record<string, unknown>>): Settings;
  /** Absent fields stay, null clears; secrets go nowhere that they were not given for. */
  changed(kind: N, former: Settings, input: Readonly<Record<string, unknown>>): Settings;
}

/** `word`: what the kinds are kinds of, such as channel. */
export function kindSettings<N extends string>(
  kinds: Readonly<Record<N, SettingsKind>>,
  names: readonly N[],
  word: string,
): KindSettings<N> {
  const refuseOthers = (kind: N, input: Readonly<Record<string, unknown>>): void => {
    const other = names.find((name) => name !== kind && input[name] !== undefined && input[name] !== null);
    if (other !== undefined) throw badField(other, `must be absent: the ${word} is ${kind}`);
  };
  return {
    given(kind, input) {
      refuseOthers(kind, input);
      const given = asSettings(input[kind]);
      if (Object.keys(given).length === 0)
        throw badField(kind, `is required: the settings of the ${word} ${kind}`);
      kinds[kind].check(given, kind);
      return given;
    },
    changed(kind, former, input) {
      refuseOthers(kind, input);
      return changedSettings(kinds[kind], kind, former, asSettings(input[kind]));
    },
  };
}

function changedSettings(
  { input: schema, origin, check, secrets }: SettingsKind,
  kind: string,
  former: Settings,
  changes: Settings,
): Settings {
  const next = schema.safeParse(
    Object.fromEntries(
      Object.entries({ ...former, ...withoutAbsent(changes) }).filter(([, value]) => value !== null),
    ),
  );
  if (!next.success) {
    const [issue] = next.error.issues;
    throw badField(`${kind}.${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is not valid');
  }
  check(next.data, kind);
  const moved = secrets.find((secret) => Boolean(former[secret]) && changes[secret] === undefined);
  const [before, after] = [origin(former), origin(next.data)];
  if (before !== after && moved !== undefined)
    throw badField(
      `${kind}.${moved}`,
      `is required with another address: the stored one was given for ${before}, not for ${after}`,
    );
  return next.data;
}

function withoutAbsent(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Stored or given settings as a record. */
export function asSettings(value: unknown): Settings {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** A value for each kind, by its name. */
export function perKind<N extends string, T>(names: readonly N[], make: (name: N) => T): Record<N, T> {
  return asRecord(names.map((name) => [name, make(name)]));
}

/** Complete, since the list holds every name of the type. */
function asRecord<N extends string, T>(entries: readonly (readonly [N, T])[]): Record<N, T> {
  const record: Partial<Record<N, T>> = {};
  for (const [name, value] of entries) record[name] = value;
  return record as Record<N, T>;
}
