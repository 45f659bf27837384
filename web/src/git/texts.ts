export const texts = {
  title: 'Connect GitHub',
  about: 'GitHub makes an App of your own for this Berth. It reaches only the repositories that you choose.',
  account: 'My own account',
  organization: 'An organization',
  login: 'Name of the organization at GitHub',
  goOn: 'Continue to GitHub',
  rights: 'It reads code, and writes commit statuses, deployments and comments on pull requests.',
  notReached:
    'GitHub must reach this address to announce pushes. While it cannot, repositories are still fetched, ' +
    'and you deploy by hand.',
  made: (name: string) => `${name} was made. Now choose the repositories that it reaches.`,
  install: 'Install it at GitHub',
  stranger: 'This was not begun here. Begin again.',
  begin: 'Begin again',
  link: 'Connect GitHub',
};
