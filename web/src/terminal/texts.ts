import type { TerminalEnd } from './connection.ts';

export const texts = {
  leave: 'It ends when you leave this tab, or after 15 minutes without activity. Nothing you type is stored.',
  notRunning: 'Nothing is running, so there is no shell to open. Deploy or start it first.',
  forbidden: 'Only Owners, Admins and Members with that grant may open a shell.',
};

const words: Record<string, string> = {
  containerEnded: 'The container ended, for example because of a deployment.',
  idle: 'There was no activity for 15 minutes.',
  stopped: 'Berth is being restarted. Connect again in a moment.',
  accessLost: 'Your session ended, or you may no longer open a shell here.',
};

export const endWords = ({ reason, message, exitCode }: TerminalEnd): string =>
  reason === 'exited'
    ? `The program ended with exit code ${exitCode ?? 'unknown'}.`
    : (words[reason] ?? message);
