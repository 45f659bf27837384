import type { InvitationCard } from '../live/account.ts';

export const texts = {
  signIn: 'Sign in',
  signUp: 'Create your account',
  first: 'You are the first here: this account will own the installation.',
  token: 'Set-up token',
  tokenHelp: 'bin/up printed it once. On the machine itself you need none.',
  later: 'An account needs an invitation: open its link, or give its token here.',
  join: 'Join an organization',
  joined: ({ organization }: InvitationCard): string => `Join ${organization}`,
  invited: ({ invitedBy, organization, role }: InvitationCard): string =>
    `${invitedBy} invited you to ${organization} as ${role}.`,
  unusable:
    'This invitation cannot be used: it may have been used or revoked, or have expired. Ask for a new one.',
  otherAccount: (signedIn: string, invited: string): string =>
    `The invitation is for ${invited}, and you are signed in as ${signedIn}. Sign out first.`,
  forgotten:
    'Forgot your password? It is reset on the machine of this Berth: ./bin/berth reset-password. New here? ' +
    'Ask an Owner or Admin for an invitation.',
  code: 'Code from your authenticator app',
  over: 'Your session has ended. What you typed is still here.',
  password: 'At least 8 characters',
};
