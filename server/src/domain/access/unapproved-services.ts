/** What Berth leaves for set-up at the upgrade that brought approvals: a file below the data folder. */
export const unapprovedFile = 'unapproved-services.json';

export interface UnapprovedService {
  kind: string;
  appName: string;
  organizationId: string;
  /** For people. */
  reaches: string;
}
