export const texts = {
  signIn: 'Sign in',
  signUp: 'Create your account',
  first: 'You are the first here: this account will own the installation.',
  token: 'Set-up token',
  tokenHelp: 'bin/up printed it once. On the machine itself you need none.',
  later: 'An account needs an invitation: open its link, or give its token here.',
  code: 'Code from your authenticator app',
  over: 'Your session has ended. What you typed is still here.',
  password: 'At least 8 characters',
};
