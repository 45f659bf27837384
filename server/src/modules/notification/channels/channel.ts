/**
 * What defines a kind of channel: its settings, which of them are secret, and how it renders a notice. Each
 * kind is one file of this folder; `npm run generate` lists them in `channels.ts`. Nothing is sent here: that
 * is sending.ts, whose test has a row for each kind that is sent over HTTP.
 */
import { z } from 'zod';
import { badField } from '../../../domain/errors.ts';
import type { FactSubject, FactTone } from '../../../domain/states/fact.ts';
import { defineSettings, type SettingsDefinition } from '../../../procedure/input/kind-settings.ts';

/** What is told, once for all channels. */
export interface Notice {
  /** Stable: the same in every attempt and, but for summaries, on every channel. */
  id: string;
  /** An event's name, or `summary`, or `test`. */
  event: string;
  tone: FactTone;
  /** ISO 8601. */
  at: string;
  title: string;
  message: string;
  /** Null where it is about several. */
  subject: FactSubject | null;
  /** How many facts it stands for. */
  count: number;
}

export interface MailSettings {
  host: string;
  port: number;
  /** `tls`: from the first byte; `starttls`: required before the sign-in; `none`: in the open. */
  security: 'tls' | 'starttls' | 'none';
  username: string | undefined;
  password: string | undefined;
}

export type Sending =
  | {
      by: 'http';
      url: string;
      headers: Record<string, string>;
      body: string | Uint8Array;
      /** What answers of these status codes mean, in place of their words. */
      refusals?: Readonly<Record<number, string>>;
    }
  | {
      by: 'mail';
      server: MailSettings;
      mail: { from: string; to: string[]; subject: string; text: string; id: string };
    };

interface Definition<F extends z.ZodRawShape, S extends keyof F & string> extends SettingsDefinition<F, S> {
  /** For people. */
  label: string;
  /** `now`: epoch milliseconds. */
  render(notice: Notice, settings: z.output<z.ZodObject<F>>, now: number): Sending;
}

export function defineChannel<F extends z.ZodRawShape, S extends keyof F & string>(
  definition: Definition<F, S>,
) {
  const settings = defineSettings(definition);
  return {
    ...settings,
    label: definition.label,
    render: (notice: Notice, given: unknown, now: number): Sending =>
      definition.render(notice, settings.input.parse(given), now),
  };
}

/** An address that requests go to. */
export const httpUrl = (): z.ZodString =>
  z
    .string()
    .max(2000)
    .regex(/^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/, 'must be an http or https address without a user name');

/** The scheme, host and port of an address. */
export const originOf = (url: string): string => URL.parse(url)?.origin ?? url;

/** JSON by POST. */
export function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Sending & { by: 'http'; body: string } {
  return {
    by: 'http',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Berth', ...headers },
    body: JSON.stringify(body),
  };
}

/** At most so many characters; what is cut says so. */
export function cut(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

/** Refuses what cannot stand in a header or address. */
export function requirePlain(value: string, field: string): void {
  if (/[\r\n]/.test(value)) throw badField(field, 'must be one line');
}
