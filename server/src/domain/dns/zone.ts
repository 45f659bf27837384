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

/** The name and those above it, the longest first; zones of one label are nobody's. */
export function candidatesOf(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'));
}
