export const texts = {
  about: 'Run a command of this service on a schedule: a clean-up, a report. Each run keeps its output.',
  command: 'Words as in a shell, quotes included; no other shell syntax.',
  removal: 'Its runs and their output are removed. A run in progress is ended.',
  noRun: 'It has not run yet.',
};
