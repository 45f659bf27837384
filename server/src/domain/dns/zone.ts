/** Records of zones, and what a DNS provider does with them. Pure. */
import { isIPv6 } from 'node:net';

export interface Zone {
  /** As the provider knows it. */
  id: string;
  /** Without a dot at its end. */
  name: string;
}

/** Types of records that Berth sets. */
export const recordTypeNames = ['A', 'AAAA', 'CNAME', 'TXT'] as const;
export type RecordType = (typeof recordTypeNames)[number];

/** A name of a zone, whole, without a dot at its end. */
export interface NameOfZone {
  zone: Zone;
  name: string;
}

/** A record of a zone; a text stands without quotes, a name without a dot at its end. */
export interface ZoneRecord extends NameOfZone {
  type: RecordType;
  value: string;
}

/** A record that a zone has, of whatever type. */
export interface FoundRecord {
  type: string;
  value: string;
}

/** What a provider does for Berth, with the settings of one record. */
export interface ZoneAccess {
  /** The first of these names that is a zone of the provider; undefined when none is. */
  find(candidates: readonly string[]): Promise<Zone | undefined>;
  /** Records at the name itself; a wildcard above it counts for nothing. */
  read(at: NameOfZone): Promise<FoundRecord[]>;
  /** Adds the value to whatever the name has. */
  add(record: ZoneRecord): Promise<void>;
  /** Removes this value alone; one that is gone is no fault. */
  remove(record: ZoneRecord): Promise<void>;
}

/** A text as zone files have it (RFC 1035, 5.1). */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A value as zone files have it: a text in quotes, a name with a dot at its end (RFC 1035, 5.1). */
export function zoneValue({ type, value }: Pick<ZoneRecord, 'type' | 'value'>): string {
  if (type === 'TXT') return quoted(value);
  return type === 'CNAME' ? `${value}.` : value;
}

/** The value of a zone file without quotes, dots at the end and other ways to write the same. */
export function plainValue(type: string, value: string): string {
  if (type === 'TXT')
    return value
      .replace(/" +"/g, '')
      .replace(/^"|"$/g, '')
      .replace(/\\(["\\])/g, '$1');
  if (type === 'CNAME' || type === 'NS') return value.toLowerCase().replace(/\.$/, '');
  return type === 'AAAA' && isIPv6(value) ? new URL(`http://[${value}]`).hostname.slice(1, -1) : value;
}

/** Whether a zone's record, as the provider writes its value, is this one. */
export const isSameValue = ({ type, value }: ZoneRecord, found: string): boolean =>
  plainValue(type, found) === value;

const againMs = [1, 5, 30, 120, 720].map((minutes) => minutes * 60_000);
const longestMs = 24 * 3_600_000;

/** Milliseconds until a zone that could not be changed is tried again, after so many failures before. */
export const zoneAgainMs = (failures: number): number => againMs[failures] ?? longestMs;

/** The name, without the sign of a wildcard, and those above it, the longest first; one label is nobody's. */
export function candidatesOf(name: string): string[] {
  const labels = name.replace(/^\*\./, '').split('.');
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'));
}
