export const texts = {
  about:
    'A command of this service at times of your choice: a clean-up, a report. Each run keeps its output.',
  command: 'Words as in a shell, with quotes; nothing else of a shell.',
  removal: 'Its runs and their output go. One that goes on is ended.',
  noRun: 'It has not run yet.',
};
