/** Rows that shape a release besides the application's own settings. */
import type { TableRecord } from '../../db/tables.ts';

export type DomainRecord = TableRecord<'domain'>;
export type PortRecord = TableRecord<'port'>;
export type MountRecord = TableRecord<'mount'>;
