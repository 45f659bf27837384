export const texts = {
  forbidden:
    'Schedules run programs with the variables of the service. Only Owners, Admins and members who may ' +
    'open a terminal add, change or start them.',
  about:
    'A command of this service at the times you choose: a clean-up, a report. Each run keeps its output.',
  timeZone: 'In which the times above are read, such as Europe/Berlin',
  command: 'Words as in a shell, with quotes; nothing else of a shell.',
  removal: 'Its runs and their output are deleted. A run under way is ended.',
  noRun: 'It has not run yet.',
};
