/** The five kinds of database (interface document, Database). What they differ in stands in `modules/database/kinds.ts`. */

export const databaseKindNames = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'] as const;
export type DatabaseKindName = (typeof databaseKindNames)[number];
