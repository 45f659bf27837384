import type { TerminalEnd } from './connection.ts';

export const texts = {
  leave: 'It ends when you leave this tab, or after 15 idle minutes. What you type is not stored.',
  notRunning: 'Nothing runs, so there is no shell to open. Deploy or start it first.',
  forbidden: 'Only Owners, Admins and Members with that grant may open a shell.',
};

const words: Record<string, string> = {
  containerEnded: 'The container ended, because of a deployment for example.',
  idle: 'Idle for 15 minutes.',
  stopped: 'Berth is being restarted. Connect again in a moment.',
  accessLost: 'Your session ended, or you may no longer open a shell here.',
};

export const endWords = ({ reason, message, exitCode }: TerminalEnd): string =>
  reason === 'exited'
    ? `The program ended with exit code ${exitCode ?? 'unknown'}.`
    : (words[reason] ?? message);
