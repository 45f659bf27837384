export const texts = {
  empty:
    'Give it a host name and requests to it reach this service. With https, Berth obtains the certificate.',
  removeTitle: (host: string) => `Remove ${host}?`,
  remove: 'Requests to it are refused at once. The service and its certificate are kept.',
  customers: {
    title: "Customers' host names",
    asked: (host: string, path: string) =>
      `Names that lead to ${host} (CNAME) are served when ${path} of the service says yes.`,
    refused: 'Names that were not allowed lately',
    closed: 'No further ones are allowed.',
    remove:
      'Requests to it are refused at once. It comes back when somebody opens it and the service still ' +
      'says yes to it.',
  },
  records: {
    set: 'Set it for me',
    verb: 'Set the records',
    addProvider: 'Add a DNS provider to have it set',
    title: (name: string | undefined) => (name === undefined ? 'DNS records' : `DNS records of ${name}`),
    where: (zone: string, provider: string) => `In the zone ${zone}, at the DNS provider ${provider}.`,
    nothing: 'Nothing to change.',
    unfinished: (why: string) => `The last change is not finished and is tried again: ${why}`,
    marks:
      'The TXT record says that Berth made the record beside it. Records without one are never changed. ' +
      'Both are removed with the domain.',
  },
  steps: {
    resolves: 'The name resolves',
    reaches: 'It points to this server',
    asked: 'The authority is asked',
    issued: 'The certificate is issued',
  },
};
