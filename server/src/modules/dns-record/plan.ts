/**
 * Which records of a name Berth makes and removes. Each record of its own has a text beside it that says so;
 * records without one are somebody else's, and stay. Pure.
 */
import { createHash } from 'node:crypto';
import type { FoundRecord, RecordType } from '../../domain/dns/zone.ts';

/** A record that leads a name to a server. */
export interface Leading {
  type: Exclude<RecordType, 'TXT'>;
  value: string;
}

/** Whose records they are. */
export interface RecordOwner {
  installationId: string;
  organizationId: string;
}

export interface ShownRecord {
  name: string;
  type: string;
  value: string;
}

export interface ZoneChange extends ShownRecord {
  action: 'create' | 'remove';
  type: RecordType;
}

export interface RecordPlan {
  /** In the order in which they are carried out. */
  changes: ZoneChange[];
  /** Wanted records that are there; those that are not Berth's own stay when the domain goes. */
  right: (ShownRecord & { isOwn: boolean })[];
  /** Records of others that lead the name elsewhere; with one of them nothing is changed. */
  foreign: (ShownRecord & { hint: string })[];
}

export interface PlannedName {
  name: string;
  /** The name of the zone. */
  zone: string;
  owner: RecordOwner;
  /** Empty: what Berth has made is to go. */
  wanted: readonly Leading[];
  /** Records at the name. */
  present: readonly FoundRecord[];
  /** Texts at the name of the marks. */
  texts: readonly string[];
  /** Names that lead to the server: a CNAME to one of them is right already. */
  leadingHere?: readonly string[];
}

/** Where the marks of a name stand; a wildcard shares them with the name above it. */
export const markName = (name: string): string => `_berth-owner.${name.replace(/^\*\./, '')}`;

/** Says that a record is Berth's; at most 255 bytes with values of at most 100. */
export function markOf(
  { installationId, organizationId }: RecordOwner,
  name: string,
  { type, value }: { type: string; value: string },
): string {
  return ['berth', installationId, organizationId, name.startsWith('*') ? '*' : '@', type, value].join(' ');
}

/** Longest name that a record may lead to: its mark has to fit into one text. */
export const longestTarget = 100;

const leadingTypes: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME']);
const elsewhereTypes: ReadonlySet<string> = new Set([...leadingTypes, 'ALIAS', 'ANAME', 'DNAME']);

export function planRecords(planned: PlannedName): RecordPlan {
  const { name, owner, wanted, present, texts, leadingHere = [] } = planned;
  const mark = (record: { type: string; value: string }): string => markOf(owner, name, record);
  const isOwn = (record: FoundRecord): boolean => texts.includes(mark(record));
  const isWanted = (record: FoundRecord): boolean => wanted.some((each) => isSame(each, record));
  const isAlias = ({ type, value }: FoundRecord): boolean =>
    wanted.length > 0 && type === 'CNAME' && leadingHere.includes(value);
  const right = present.filter((record) => isWanted(record) || (isAlias(record) && !isOwn(record)));
  const others = present.filter((record) => !right.includes(record));
  const removed = others.filter(isLeading).filter(isOwn);
  const foreign = others.filter(
    (record) => wanted.length > 0 && !(isLeading(record) && isOwn(record)) && isInTheWay(record, planned),
  );
  const shown = ({ type, value }: FoundRecord): ShownRecord => ({ name, type, value });
  const made = right.some(isAlias) ? [] : wanted.filter((each) => !right.some((one) => isSame(one, each)));
  return {
    changes: foreign.length > 0 ? [] : changesOf(planned, { made, removed }),
    right: right.map((record) => ({ ...shown(record), isOwn: isOwn(record) })),
    foreign: foreign.map((record) => ({ ...shown(record), hint: hintOf(planned, record) })),
  };
}

/** Marks come before their records and go after them, so that nothing of Berth's is ever without one. */
function changesOf(
  { name, owner, wanted, present, texts }: PlannedName,
  { made, removed }: { made: readonly Leading[]; removed: readonly Leading[] },
): ZoneChange[] {
  const mark = (record: { type: string; value: string }): string => markOf(owner, name, record);
  const text = (action: ZoneChange['action'], value: string): ZoneChange => ({
    action,
    name: markName(name),
    type: 'TXT',
    value,
  });
  const record = (action: ZoneChange['action'], { type, value }: Leading): ZoneChange => ({
    action,
    name,
    type,
    value,
  });
  const kept = new Set([...wanted, ...present].map(mark));
  const own = mark({ type: '', value: '' }).trimEnd();
  // Of a change that was broken off, and of records that somebody else has removed.
  const stale = texts.filter((each) => each.startsWith(`${own} `) && !kept.has(each));
  const records = [
    ...made.map((each) => record('create', each)),
    ...removed.map((each) => record('remove', each)),
  ];
  // A CNAME stands alone at its name (RFC 1034, 3.6.2).
  if ([...made, ...removed].some(({ type }) => type === 'CNAME')) records.reverse();
  return [
    ...made.map(mark).flatMap((value) => (texts.includes(value) ? [] : [text('create', value)])),
    ...records,
    ...[...removed.map(mark), ...stale].map((value) => text('remove', value)),
  ];
}

const isSame = (one: FoundRecord, other: FoundRecord): boolean =>
  one.type === other.type && one.value === other.value;

const isLeading = (record: FoundRecord): record is Leading => leadingTypes.has(record.type);

function isInTheWay({ type }: FoundRecord, { name, zone, wanted }: PlannedName): boolean {
  if (elsewhereTypes.has(type) || (type === 'NS' && name !== zone)) return true;
  return wanted.some((each) => each.type === 'CNAME');
}

function hintOf({ name, owner, texts }: PlannedName, { type, value }: FoundRecord): string {
  const of = (installation: string, organization: string): string =>
    markOf({ installationId: installation, organizationId: organization }, name, { type, value });
  const holder = texts
    .map((each) => each.split(' '))
    .find(([, by = '', whose = '']) => texts.includes(of(by, whose)));
  if (holder?.[1] === owner.installationId)
    return 'Another organization of this Berth has set it. Remove the domain there first.';
  if (holder) return `The Berth with the id ${holder[1]} has set it. Remove the domain there first.`;
  if (type === 'NS') return 'Other name servers serve this name. Set the record there.';
  return elsewhereTypes.has(type)
    ? 'Remove it at the DNS provider if the name is to lead here, then look again.'
    : 'A CNAME cannot stand beside it. Use another name, or remove it at the DNS provider.';
}

/** The same text for the same plan of the same zone: another one shows that something has changed. */
export function digestOfPlan(
  of: { dnsProviderId: string; zoneId: string },
  { name, zone, wanted, present, texts }: PlannedName,
): string {
  const sorted = (records: readonly FoundRecord[]): string[] =>
    records.map(({ type, value }) => `${type} ${value}`).toSorted();
  const seen = [of.dnsProviderId, of.zoneId, zone, name, sorted(wanted), sorted(present), texts.toSorted()];
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex');
}
