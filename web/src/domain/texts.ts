export const texts = {
  empty:
    'Give it a host name and requests to it reach this service. With https, Berth obtains the certificate.',
  removeTitle: (host: string) => `Remove ${host}?`,
  remove: 'Requests to it are refused at once. The service and its certificate are kept.',
  steps: {
    resolves: 'The name resolves',
    reaches: 'It points to this server',
    asked: 'The authority is asked',
    issued: 'The certificate is issued',
  },
};
