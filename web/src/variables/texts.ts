export const texts = {
  title: 'Variables',
  help:
    'They take effect at the next deployment. Type ${{ to refer to other services and to variables of the ' +
    'environment and project.',
  empty: 'No variables yet. Add one, or paste a whole .env file into a name.',
  foreign: 'The variables were changed elsewhere. Yours are still here; saving would replace theirs.',
  inherited: 'Given by environment and project',
  resolved: 'What references become',
  behindSecret: 'A secret has the same name, and wins.',
  givenTwice: 'The same name stands below, and its value counts.',
  notPasted: (fault: string): string => `Nothing was pasted: ${fault}.`,
  notRows: (fault: string): string => `This is not understood yet: ${fault}.`,
  masked: 'You may not read values here. You can add variables and secrets; the others stay as they are.',
};
