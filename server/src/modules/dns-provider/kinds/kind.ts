/**
 * What defines a kind of DNS provider: its settings, the least rights that its credential needs, and how
 * records are read, set and removed. Each kind is one file of this folder, and a row of `kinds.ts`.
 */
import { z } from 'zod';
import {
  plainValue,
  isSameValue,
  zoneValue,
  type FoundRecord,
  type NameOfZone,
  type Zone,
  type ZoneAccess,
  type ZoneRecord,
} from '../../../domain/dns/zone.ts';
import type { Secret } from '../../../domain/secrets/secret.ts';
import { defineSettings, type SettingsDefinition } from '../../../procedure/input/kind-settings.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpCall {
  method: HttpMethod;
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, a string as it is. */
  body?: unknown;
  /** Statuses besides 2xx that are answers, with an undefined value: 404 unless given. */
  absent?: readonly number[];
}

/** How a kind reaches its provider; everything goes through the gate of the organization. */
export interface ProviderWay {
  /**
   * The answer to a request, JSON in this shape; undefined for an absent thing. Throws an AppError in words
   * of the provider's name for what it refuses.
   */
  ask<T>(shape: z.ZodType<T>, call: HttpCall): Promise<T | undefined>;
  /** The same for an answer that is not JSON. */
  askText(call: HttpCall): Promise<string | undefined>;
  /** One DNS message by TCP. */
  exchange(message: Uint8Array, to: { host: string; port: number }): Promise<Buffer>;
  /** Makes the work wait until earlier work on the same name is over. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Milliseconds since the epoch. */
  now(): number;
  pause(ms: number): Promise<void>;
}

interface KindDefinition<F extends z.ZodRawShape, S extends keyof F & string>
  extends SettingsDefinition<F, S> {
  /** For people. */
  label: string;
  /** What the credential has to be allowed, and no more. */
  rights: string;
  /** Where the provider documents the interface. */
  source: string;
  connect(settings: z.output<z.ZodObject<F>>, way: ProviderWay): ZoneAccess;
  /** What a program is told that changes the provider; absent where Berth changes it itself. */
  program?(settings: z.output<z.ZodObject<F>>): ProgramSettings;
}

export interface ProgramSettings {
  /** The provider, as the program names it. */
  provider: string;
  environment: Record<string, Secret>;
  /** Whether the program waits until the name servers of the zone have a record. */
  awaitsNameServers: boolean;
}

export function defineKind<F extends z.ZodRawShape, S extends keyof F & string>(
  definition: KindDefinition<F, S>,
) {
  const { label, rights, source, program } = definition;
  const settings = defineSettings(definition);
  return {
    ...settings,
    label,
    rights,
    source,
    connect: (given: unknown, way: ProviderWay): ZoneAccess =>
      definition.connect(settings.input.parse(given), way),
    /** Undefined where Berth changes the provider itself. */
    program: program && ((given: unknown): ProgramSettings => program(settings.input.parse(given))),
  };
}

/** Seconds that a record may be kept by resolvers. */
export const recordTtl = 60;

/** A token that goes into a header. */
export const token = (): z.ZodString =>
  z
    .string()
    .min(1)
    .max(1000)
    .regex(/^[\x21-\x7e]+$/, 'must be one line without spaces: it goes into a header');

export const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

/** The address of an interface that runs at a place of its own. */
export const baseUrl = (): z.ZodString =>
  z
    .string()
    .max(2000)
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/, 'must be an http or https address without a user name');

/** The scheme, host and port of an address. */
export const apiOrigin = (url: string): string => URL.parse(url)?.origin ?? url;

/** The name within its zone; `@` for the zone itself. */
export function nameInZone({ zone, name }: NameOfZone): string {
  return name === zone.name ? '@' : name.slice(0, -(zone.name.length + 1));
}

/** The first candidate for which the provider has a zone, one request each. */
export async function firstZone(
  candidates: readonly string[],
  look: (name: string) => Promise<Zone | undefined>,
): Promise<Zone | undefined> {
  for (const name of candidates) {
    const zone = await look(name);
    if (zone) return zone;
  }
  return undefined;
}

/** Values that a name has of a type, as the provider writes them; `ttl` undefined where there are none. */
export interface PresentValues {
  values: string[];
  ttl?: number | undefined;
}

/** For providers that replace all values of a name and type at once: those of others are kept. */
export function replacingValues(
  way: Pick<ProviderWay, 'inTurn'>,
  sets: {
    present(record: ZoneRecord): Promise<PresentValues | undefined>;
    /** An empty list removes the records; `ttl` is the one that they had, if any. */
    write(record: ZoneRecord, values: readonly string[], ttl: number | undefined): Promise<void>;
  },
): Pick<ZoneAccess, 'add' | 'remove'> {
  return {
    add: (record) =>
      way.inTurn(record.name, async () => {
        const { values = [], ttl } = (await sets.present(record)) ?? {};
        if (!values.some((value) => isSameValue(record, value)))
          await sets.write(record, [...values, zoneValue(record)], ttl);
      }),
    remove: (record) =>
      way.inTurn(record.name, async () => {
        const { values = [], ttl } = (await sets.present(record)) ?? {};
        const rest = values.filter((value) => !isSameValue(record, value));
        if (rest.length < values.length) await sets.write(record, rest, ttl);
      }),
  };
}

/** Records of sets, each with the values that it has. */
export const recordsOfSets = (sets: readonly { type: string; values: readonly string[] }[]): FoundRecord[] =>
  sets.flatMap(({ type, values }) => values.map((value) => ({ type, value: plainValue(type, value) })));
