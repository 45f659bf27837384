export const texts = {
  empty:
    'Add a host name, and its requests reach this service. With HTTPS the certificate is issued for you.',
  removeTitle: (host: string) => `Remove ${host}?`,
  remove: 'Requests to it are refused at once. The service and its certificate are kept.',
  steps: {
    resolves: 'The name resolves',
    reaches: 'It points to this server',
    asked: 'The authority is asked',
    issued: 'The certificate is issued',
  },
};
