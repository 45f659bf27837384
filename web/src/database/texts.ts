export const texts = {
  forbidden:
    'The contents of a database need the permission "Read variables and passwords". An Owner or Admin of ' +
    'the organization can give it.',
  mongo: (name: string) =>
    `The contents of MongoDB cannot be shown here. Open it with a client: berth db connect ${name}`,
  notDeployed: 'The database was never deployed. Deploy it first; its tables are shown here then.',
  noTables: 'The tables of the database are listed here once there are any.',
  noRows: 'The table has no rows.',
  noResult: 'The statement returned no rows.',
  noKeys: 'No keys match.',
  nothingRuns: 'Nothing runs at this moment.',
  noStatements: 'No statement has run since the server began to count.',
  noSlowCommands: 'No command took longer than 10 ms since the server started, unless it was set otherwise.',
  query: 'One statement that reads. It is ended after 10 s, and the answer has at most 200 rows.',
  cut: 'There is more than is shown.',
};
